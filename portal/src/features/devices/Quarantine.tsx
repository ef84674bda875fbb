import { listQuarantined, type Quarantined } from '@roastery/contract/quarantine';
import { Ellipsis, RotateCcw, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { formatCount } from '../../format/numbers.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { discardMessage, replayMessage } from './device-changes.ts';
import { quarantineColumns } from './device-columns.tsx';

const lookEveryMs = 10_000;
const pageSize = 50;

interface QuarantineProps {
  q: string;
  page: number;
  onPage: (page: number) => void;
}

/** Messages of boards that were refused, newest first: why, and what can be done about each. */
export const Quarantine = ({ q, page, onPage }: QuarantineProps) => {
  const [discarded, setDiscarded] = useState<Quarantined | null>(null);
  const { data, error, mutate } = useApi(
    listQuarantined,
    { query: { limit: pageSize, offset: (page - 1) * pageSize, ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true, refreshInterval: lookEveryMs },
  );
  return (
    <>
      {data !== undefined && data.dropped > 0 && (
        <p className="text-sm text-muted">
          {formatCount(data.dropped)} older messages were dropped because there was no room.
        </p>
      )}
      <DataTable
        label="Quarantine"
        columns={quarantineColumns}
        rows={data?.quarantined}
        rowId={(message) => message.id}
        rowLabel={(message) => message.display_name ?? message.serial_number}
        rowActions={(message) => (
          <Menu trigger={<IconButton label={`Actions for ${message.serial_number}`} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem icon={<RotateCcw aria-hidden />} onSelect={() => void replayMessage(message)}>
              Replay
            </MenuItem>
            <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={() => setDiscarded(message)}>
              Discard
            </MenuItem>
          </Menu>
        )}
        error={error}
        onRetry={() => void mutate()}
        empty={
          <EmptyState icon={<ShieldCheck aria-hidden />} title="No messages in quarantine">
            A message of a board that cannot be stored is kept here with the reason.
          </EmptyState>
        }
        paging={{ page, pageSize, total: data?.total, onPage }}
      />
      <ConfirmDialog
        thing={discarded}
        onClose={() => setDiscarded(null)}
        title={() => 'Discard message'}
        question={(message) =>
          `The message of ${message.display_name ?? message.serial_number} is removed for good. Its samples and marks are lost.`
        }
        confirmLabel="Discard"
        onConfirm={discardMessage}
      />
    </>
  );
};
