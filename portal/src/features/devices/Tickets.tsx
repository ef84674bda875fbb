import { listPairingTickets, type PairingTicket } from '@roastery/contract/fleet';
import { Ellipsis, Ticket, TicketPlus, TicketX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { PairMachineDialog } from '../../components/pairing/PairMachineDialog.tsx';
import { useDates } from '../../format/preferences.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { revokeTicket } from './device-changes.ts';
import { ticketColumns } from './device-columns.tsx';

const lookEveryMs = 5000;
const pageSize = 50;

interface TicketsProps {
  q: string;
  page: number;
  onPage: (page: number) => void;
}

/** Pairing tickets, newest first: who waits, since when, and where a board was paired from. */
export const Tickets = ({ q, page, onPage }: TicketsProps) => {
  const dates = useDates();
  const columns = useMemo(() => ticketColumns(dates), [dates]);
  const [revoked, setRevoked] = useState<PairingTicket | null>(null);
  const [paired, setPaired] = useState<PairingTicket | null>(null);
  const { data, error, mutate } = useApi(
    listPairingTickets,
    { query: { limit: pageSize, offset: (page - 1) * pageSize, ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true, refreshInterval: lookEveryMs },
  );
  return (
    <>
      <DataTable
        label="Pairing tickets"
        columns={columns}
        rows={data?.tickets}
        rowId={(ticket) => ticket.id}
        rowLabel={(ticket) => ticket.display_name}
        rowActions={(ticket) => (
          <Menu trigger={<IconButton label={`Actions for ${ticket.display_name}`} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem icon={<TicketPlus aria-hidden />} onSelect={() => setPaired(ticket)}>
              Reissue
            </MenuItem>
            <MenuItem
              icon={<TicketX aria-hidden />}
              danger
              disabled={ticket.state !== 'pending'}
              onSelect={() => setRevoked(ticket)}
            >
              Revoke ticket
            </MenuItem>
          </Menu>
        )}
        error={error}
        onRetry={() => void mutate()}
        empty={
          <EmptyState icon={<Ticket aria-hidden />} title="No tickets found">
            A ticket is made when a machine is registered, or paired anew.
          </EmptyState>
        }
        paging={{ page, pageSize, total: data?.total, onPage }}
      />
      <ConfirmDialog
        thing={revoked}
        onClose={() => setRevoked(null)}
        title={() => 'Revoke ticket'}
        question={(ticket) =>
          `The ticket for ${ticket.display_name} stops working. A board that is paired stays paired.`
        }
        confirmLabel="Revoke"
        onConfirm={revokeTicket}
      />
      <PairMachineDialog
        machine={paired === null ? null : { id: paired.machine_id, display_name: paired.display_name }}
        onClose={() => setPaired(null)}
      />
    </>
  );
};
