import { listPairingTickets, type PairingTicket } from '@roastery/contract/fleet';
import { Ellipsis, Ticket, TicketPlus, TicketX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { PairMachineDialog } from '../../components/pairing/PairMachineDialog.tsx';
import { useDates } from '../../format/preferences.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { revokeTicket } from './device-changes.ts';
import { ticketColumns } from './device-columns.tsx';

const pollIntervalMs = 5000;

/** Pairing tickets, newest first, with their state and where a board was paired from. */
export const Tickets = () => {
  const dates = useDates();
  const columns = useMemo(() => ticketColumns(dates), [dates]);
  const [revoked, setRevoked] = useState<PairingTicket | null>(null);
  const [paired, setPaired] = useState<PairingTicket | null>(null);
  const list = useListPage(listPairingTickets, {
    input: (query) => ({ query }),
    rows: ({ tickets }) => tickets,
    total: ({ total }) => total,
    rowId: (row) => row.id,
    pageSize: 50,
    refreshInterval: pollIntervalMs,
  });
  return (
    <>
      <DataTable
        {...list.table}
        label={t`Pairing tickets`}
        columns={columns}
        rowLabel={(ticket) => ticket.display_name}
        rowActions={(ticket) => (
          <Menu trigger={<IconButton label={t`Actions for ${ticket.display_name}`} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem icon={<TicketPlus aria-hidden />} onSelect={() => setPaired(ticket)}>
              {t`Reissue`}
            </MenuItem>
            <MenuItem
              icon={<TicketX aria-hidden />}
              danger
              disabled={ticket.state !== 'pending'}
              onSelect={() => setRevoked(ticket)}
            >
              {t`Revoke ticket`}
            </MenuItem>
          </Menu>
        )}
        empty={
          <EmptyState icon={<Ticket aria-hidden />} title={t`No tickets found`}>
            {t`A ticket is issued when a machine is registered or paired again.`}
          </EmptyState>
        }
      />
      <ConfirmDialog
        thing={revoked}
        onClose={() => setRevoked(null)}
        title={() => t`Revoke ticket`}
        question={(ticket) =>
          t`The ticket for ${ticket.display_name} stops working. A board that is paired stays paired.`
        }
        confirmLabel={t`Revoke`}
        onConfirm={revokeTicket}
      />
      <PairMachineDialog
        machine={paired === null ? null : { id: paired.machine_id, display_name: paired.display_name }}
        onClose={() => setPaired(null)}
      />
    </>
  );
};
