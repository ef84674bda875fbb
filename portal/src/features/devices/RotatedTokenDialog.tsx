import { CopyButton } from '../../components/CopyButton.tsx';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import type { RotatedToken } from './device-changes.ts';

/** A new token, shown once. Only Done closes it without asking. */
export const RotatedTokenDialog = ({ rotated, onDone }: { rotated: RotatedToken | null; onDone: () => void }) => {
  const dates = useDates();
  return (
    <Dialog
      open={rotated !== null}
      onClose={onDone}
      sticky
      question={{
        title: t`Close the token of ${rotated?.display_name ?? ''}?`,
        text: t`The machine token will not be shown again.`,
      }}
      title={t`Token rotated`}
      description={rotated?.display_name}
      width="md"
    >
      {rotated !== null && (
        <>
          <DialogBody>
            <p className="text-sm text-content">
              {t`Enter this token in ${<code className="font-mono text-xs">/etc/roastery-agent/agent.env</code>} on the board and restart the agent. It is shown only once.`}
            </p>
            <div className="flex items-center justify-between gap-2 rounded-md border border-stroke bg-sunken py-1.5 pr-2 pl-3">
              <code className="font-mono text-sm break-all text-strong">MACHINE_TOKEN={rotated.auth_token}</code>
              <CopyButton text={`MACHINE_TOKEN=${rotated.auth_token}`} label={t`Copy machine token`} />
            </div>
            {rotated.previous_valid_until !== null && (
              <p className="text-sm text-muted">
                {t`The previous token works until ${dates.dayAndTime(rotated.previous_valid_until)}.`}
              </p>
            )}
          </DialogBody>
          <DialogFooter>
            <Button kind="primary" size="md" onClick={onDone}>
              {t`Done`}
            </Button>
          </DialogFooter>
        </>
      )}
    </Dialog>
  );
};
