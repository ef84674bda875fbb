import type { RegisteredMachine } from '@roastery/contract/machines';
import { Download, Mail, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useUser } from '../../api/session.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { useDates } from '../../components/preferences.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { environmentFile, pairingTicket, supportMail, ticketId } from './device-configuration.ts';
import { saveTextFile } from './save-text-file.ts';

/** What is shown once after registering: token, pairing code, configuration of the board, ticket for support. */
export const RegisteredMachineView = ({ machine }: { machine: RegisteredMachine }) => {
  const user = useUser();
  const dates = useDates();
  const environment = environmentFile(machine);
  const ticket = ticketId(machine.pairing_code);
  const validUntil = dates.dayAndTime(machine.pairing_expires_at);
  const mail = supportMail(machine);

  return (
    <div className="flex flex-col gap-6">
      <p className="flex items-start gap-2.5 rounded-md bg-warning-soft px-3 py-2.5 text-sm text-strong">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
        <span>
          <strong className="font-semibold">Keep these now.</strong> The machine token and the pairing code are shown
          only once.
        </span>
      </p>
      <dl className="grid gap-3">
        <Secret label="Machine Token" value={machine.auth_token} />
        <Secret label="Pairing Code" value={machine.pairing_code} />
      </dl>
      <Section
        title="Device Configuration"
        text="Place it in the environment file on the single-board computer beside the machine."
        actions={
          <>
            <CopyButton text={environment} label="Copy configuration" withLabel />
            <Button icon={<Download aria-hidden />} onClick={() => saveTextFile('agent.env', environment)}>
              Download file
            </Button>
          </>
        }
      >
        <pre className="rounded-md border border-stroke bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap text-content">
          {environment.trimEnd()}
        </pre>
      </Section>
      <Section
        title="Pairing"
        text="No access to the board yourself? Let support pair it for you."
        actions={
          <Button
            icon={<Download aria-hidden />}
            onClick={() =>
              saveTextFile(`${ticket}.txt`, pairingTicket(machine, `${user.full_name} <${user.email}>`, validUntil))
            }
          >
            Download ticket
          </Button>
        }
      >
        <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-sm text-content marker:text-muted">
          <li>
            Download the pairing ticket. Its ID is{' '}
            <strong className="font-mono font-medium text-strong">{ticket}</strong>.
          </li>
          <li>
            Contact support by email
            {machine.support_email !== null && (
              <>
                {' '}
                at <span className="font-medium text-strong">{machine.support_email}</span>
              </>
            )}
            , with the ticket ID in the subject, and attach the file. It holds no token.
          </li>
          <li>The ticket works once, until {validUntil}. Pairing replaces the machine token above.</li>
        </ol>
        {mail !== undefined && (
          <a href={mail} className={buttonClass('secondary', 'sm', 'self-start')}>
            <Mail aria-hidden />
            Write the email
          </a>
        )}
      </Section>
    </div>
  );
};

const Secret = ({ label, value }: { label: string; value: string }) => (
  <div className="rounded-md border border-stroke bg-sunken py-2 pr-2 pl-3">
    <dt className="label-mono">{label}</dt>
    <dd className="-mt-2 flex min-h-8 items-center justify-between gap-3">
      <span className="pt-1 font-mono text-base break-all text-strong">{value}</span>
      <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} />
    </dd>
  </div>
);

interface SectionProps {
  title: string;
  text: string;
  actions: ReactNode;
  children: ReactNode;
}

const Section = ({ title, text, actions, children }: SectionProps) => (
  <section aria-label={title} className="flex flex-col gap-3">
    <header className="flex flex-wrap items-end justify-between gap-2">
      <div className="min-w-0">
        <h3 className="text-base font-semibold text-strong">{title}</h3>
        <p className="text-sm text-muted">{text}</p>
      </div>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </header>
    {children}
  </section>
);
