import type { ComponentProps, ReactNode } from 'react';
import { SecretLine } from '../../components/CommandLine.tsx';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';
import type { RotatedToken } from './device-changes.ts';

interface SecretDialogProps extends Pick<ComponentProps<typeof SecretLine>, 'label' | 'testId'> {
  title: string;
  /** The owner of the secret. */
  name: string | undefined;
  question: NonNullable<ComponentProps<typeof Dialog>['question']>;
  /** What to do with it. */
  text: ReactNode;
  /** `null` while the dialog is closed. */
  secret: string | null;
  onDone: () => void;
  children?: ReactNode;
}

/** A secret that is shown once. Only Done closes it without asking. */
export const SecretDialog = (props: SecretDialogProps) => {
  const { title, name, question, text, secret, onDone, children, ...line } = props;
  return (
    <Dialog
      open={secret !== null}
      onClose={onDone}
      sticky
      question={question}
      title={title}
      description={name}
      width="md"
    >
      {secret !== null && (
        <>
          <DialogBody>
            <p className="text-sm text-content">{text}</p>
            <SecretLine secret={secret} {...line} />
            {children}
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

/** A new token, shown once. */
export const RotatedTokenDialog = ({ rotated, onDone }: { rotated: RotatedToken | null; onDone: () => void }) => {
  const dates = useDates();
  const until = rotated?.previous_valid_until ?? null;
  return (
    <SecretDialog
      title={t`Token rotated`}
      name={rotated?.display_name}
      question={{
        title: t`Close the token of ${rotated?.display_name ?? ''}?`,
        text: t`The machine token will not be shown again.`,
      }}
      text={t`Enter this token in ${<code className="font-mono text-xs">/etc/roastery-agent/agent.env</code>} on the board and restart the agent. It is shown only once.`}
      secret={rotated && `MACHINE_TOKEN=${rotated.auth_token}`}
      label={t`Copy machine token`}
      onDone={onDone}
    >
      {until !== null && (
        <p className="text-sm text-muted">{t`The previous token works until ${dates.dayAndTime(until)}.`}</p>
      )}
    </SecretDialog>
  );
};
