import type { AuditEntry } from '@roastery/contract/users';
import type { ReactNode } from 'react';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import { actionLabel, detailLines } from './audit-texts.ts';

/** All fields of an entry. */
export const AuditEntryDialog = ({ entry, onClose }: { entry: AuditEntry | null; onClose: () => void }) => {
  const dates = useDates();
  return (
    <Dialog
      open={entry !== null}
      onClose={onClose}
      title={entry === null ? '' : actionLabel(entry.action)}
      description={entry?.action}
    >
      {entry !== null && (
        <>
          <DialogBody>
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2.5 text-base">
              <Line label={t`When`}>{dates.dayAndTime(entry.at)}</Line>
              <Line label={t`Who`}>{entry.actor}</Line>
              <Line label={t`From`}>{entry.address ?? '--'}</Line>
              {detailLines(entry.detail).map(([label, value]) => (
                <Line key={label} label={label}>
                  {value}
                </Line>
              ))}
              {entry.subject !== null && (
                <Line label={t`ID`}>
                  <span className="font-mono text-sm">{entry.subject}</span>
                </Line>
              )}
            </dl>
          </DialogBody>
          <DialogFooter>
            <Button onClick={onClose}>{t`Close`}</Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
};

const Line = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="min-w-0 wrap-anywhere text-strong">{children}</dd>
  </>
);
