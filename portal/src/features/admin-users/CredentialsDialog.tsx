import { TriangleAlert } from 'lucide-react';
import { CopyButton } from '../../components/CopyButton.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/Dialog.tsx';

export interface Credentials {
  title: string;
  full_name: string;
  email: string;
  password: string;
}

interface CredentialsDialogProps {
  /** `null` while there is nothing to show. */
  credentials: Credentials | null;
  onDone: () => void;
}

/** Email and password, shown once. A click outside does not close it, and Escape shows a confirmation first. */
export const CredentialsDialog = ({ credentials, onDone }: CredentialsDialogProps) => (
  <Dialog
    open={credentials !== null}
    onClose={onDone}
    sticky
    question={{
      title: t`Close the credentials of ${credentials?.full_name ?? ''}?`,
      text: t`The password will not be shown again.`,
    }}
    title={credentials?.title ?? ''}
    description={credentials?.full_name}
  >
    {credentials !== null && (
      <>
        <DialogBody>
          <p className="flex items-start gap-2.5 rounded-md bg-warning-soft px-3 py-2.5 text-sm font-medium text-strong">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
            {t`Save these credentials - password won't be shown again!`}
          </p>
          <dl className="grid gap-3">
            <Line label={t`Email`} value={credentials.email} />
            <Line label={t`Password`} value={credentials.password} />
          </dl>
        </DialogBody>
        <DialogFooter>
          <CopyButton
            text={t`Email: ${credentials.email}
Password: ${credentials.password}
Sign in: ${location.origin}
`}
            label={t`Copy both`}
            withLabel
          />
          <Button kind="primary" onClick={onDone}>
            {t`Done`}
          </Button>
        </DialogFooter>
      </>
    )}
  </Dialog>
);

const Line = ({ label, value }: { label: string; value: string }) => (
  <div className="rounded-md border border-stroke bg-sunken py-2 pr-2 pl-3">
    <dt className="label-mono">{label}</dt>
    <dd className="-mt-2 flex min-h-8 items-center justify-between gap-3">
      <span className="pt-1 font-mono text-base break-all text-strong">{value}</span>
      <CopyButton text={value} label={t`Copy ${label.toLowerCase()}`} />
    </dd>
  </div>
);
