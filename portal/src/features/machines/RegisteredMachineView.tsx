import type { RegisteredMachine } from '@roastery/contract/machines';
import { Download, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../../components/CopyButton.tsx';
import { environmentFile, isOwnAddress } from '../../components/pairing/device-configuration.ts';
import { PairingTicketView } from '../../components/pairing/PairingTicketView.tsx';
import { saveFile } from '../../components/save-file.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';

/** Shown once after registration: token, pairing code, configuration of the board, ticket for support. */
export const RegisteredMachineView = ({ machine }: { machine: RegisteredMachine }) => {
  const environment = environmentFile(machine);

  return (
    <div className="@container flex flex-col gap-6">
      <Notice>
        {t`${<strong className="font-semibold">{t`Save these now.`}</strong>} The machine token and the pairing code are shown only once.`}
      </Notice>
      {isOwnAddress(machine.api_url) && (
        <Notice>
          {t`A board can’t reach ${machine.api_url}: it is this server’s own address. Set PUBLIC_URL on the server to its name or IP address in your network, then issue a new ticket.`}
        </Notice>
      )}
      <div className="grid items-start gap-6 @3xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <dl className="grid gap-3">
            <Secret label={t`Machine Token`} value={machine.auth_token} />
            <Secret label={t`Pairing Code`} value={machine.pairing_code} />
          </dl>
          <Section
            title={t`Device Configuration`}
            text={t`Place it in the environment file on the single-board computer beside the machine.`}
            actions={
              <>
                <CopyButton text={environment} label={t`Copy configuration`} withLabel />
                <Button
                  icon={<Download aria-hidden />}
                  onClick={() => saveFile({ name: 'agent.env', content: environment })}
                >
                  {t`Download file`}
                </Button>
              </>
            }
          >
            <pre className="rounded-md border border-stroke bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap text-content">
              {environment.trimEnd()}
            </pre>
          </Section>
        </div>
        <Section title={t`Pairing`} text={t`No access to the board? Support can pair it for you.`}>
          <PairingTicketView ticket={machine} machineId={machine.id} />
        </Section>
      </div>
    </div>
  );
};

const Notice = ({ children }: { children: ReactNode }) => (
  <p className="flex items-start gap-2.5 rounded-md bg-warning-soft px-3 py-2.5 text-sm text-strong">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
);

const Secret = ({ label, value }: { label: string; value: string }) => (
  <div className="relative rounded-md border border-stroke bg-sunken py-2 pr-14 pl-3">
    <dt className="label-mono">{label}</dt>
    <dd className="mt-0.5">
      <span className="font-mono text-base break-all text-strong">{value}</span>
      <span className="absolute inset-y-0 right-2 flex items-center">
        <CopyButton text={value} label={t`Copy ${label.toLowerCase()}`} />
      </span>
    </dd>
  </div>
);

interface SectionProps {
  title: string;
  text: string;
  actions?: ReactNode;
  children: ReactNode;
}

const Section = ({ title, text, actions, children }: SectionProps) => (
  <section aria-label={title} className="flex flex-col gap-3">
    <header className="flex flex-wrap items-end justify-between gap-2">
      <div className="min-w-0">
        <h2 className="text-base font-semibold text-strong">{title}</h2>
        <p className="text-sm text-muted">{text}</p>
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
    {children}
  </section>
);
