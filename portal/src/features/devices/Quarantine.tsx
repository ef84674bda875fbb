import { formatCount } from '../../format/numbers.ts';
import { listQuarantined, type Quarantined } from '@roastery/contract/quarantine';
import { Ellipsis, RotateCcw, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { discardMessage, replayMessage } from './device-changes.ts';
import { quarantineColumns } from './device-columns.tsx';

const pollIntervalMs = 10_000;

/** Refused messages of boards, newest first, with the reason and the actions. */
export const Quarantine = () => {
  const [discarded, setDiscarded] = useState<Quarantined | null>(null);
  const list = useListPage(listQuarantined, {
    input: (query) => ({ query }),
    rows: ({ quarantined }) => quarantined,
    total: ({ total }) => total,
    rowId: (row) => row.id,
    pageSize: 50,
    refreshInterval: pollIntervalMs,
  });
  return (
    <>
      {list.data !== undefined && list.data.dropped > 0 && (
        <p className="text-sm text-muted">
          {t`${formatCount(list.data.dropped)} older messages were dropped because the quarantine was full.`}
        </p>
      )}
      <DataTable
        {...list.table}
        label={t`Quarantine`}
        columns={quarantineColumns}
        rowLabel={(message) => message.display_name ?? message.serial_number}
        rowActions={(message) => (
          <Menu
            trigger={<IconButton label={t`Actions for ${message.serial_number}`} icon={<Ellipsis aria-hidden />} />}
          >
            <MenuItem icon={<RotateCcw aria-hidden />} onSelect={() => void replayMessage(message)}>
              {t`Replay`}
            </MenuItem>
            <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={() => setDiscarded(message)}>
              {t`Discard`}
            </MenuItem>
          </Menu>
        )}
        empty={
          <EmptyState icon={<ShieldCheck aria-hidden />} title={t`No messages in quarantine`}>
            {t`Messages from boards that could not be stored are kept here with the reason.`}
          </EmptyState>
        }
      />
      <ConfirmDialog
        thing={discarded}
        onClose={() => setDiscarded(null)}
        title={() => t`Discard message`}
        question={(message) =>
          t`The message of ${message.display_name ?? message.serial_number} is deleted permanently. Its samples and marks are lost.`
        }
        confirmLabel={t`Discard`}
        onConfirm={discardMessage}
      />
    </>
  );
};
