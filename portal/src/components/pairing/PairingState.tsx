import { getPairing, type PairingTicket } from '@roastery/contract/fleet';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { LiveDot } from '../../ui/Badge.tsx';
import { RelativeTime } from '../figures.tsx';

/** Poll interval: support may pair the board while the page is open. */
const pollIntervalMs = 3000;

const settles = (ticket: PairingTicket | null | undefined): boolean =>
  ticket === null || (ticket !== undefined && ticket.state !== 'pending' && ticket.state !== 'paired');

/** Whether a board is paired with the machine. Updates itself when support has paired it. */
export const PairingState = ({ machineId }: { machineId: string }) => {
  const { data } = useApi(
    getPairing,
    { params: { id: machineId } },
    { refreshInterval: (latest) => (settles(latest?.ticket) ? 0 : pollIntervalMs) },
  );
  return (
    <p aria-live="polite" className="flex min-h-6 items-center gap-2 text-sm text-content">
      {data !== undefined && <TicketStatus ticket={data.ticket} hasCredential={data.credential !== null} />}
    </p>
  );
};

interface TicketStatusProps {
  ticket: PairingTicket | null;
  /** Whether a credential of this machine is valid now. */
  hasCredential: boolean;
}

const TicketStatus = ({ ticket, hasCredential }: TicketStatusProps) => {
  if (ticket === null) {
    return (
      <>
        <LiveDot tone="faint" />
        {t`No ticket`}
      </>
    );
  }
  if (ticket.state === 'pending') {
    return (
      <>
        <LiveDot tone="accent" pulsing />
        {t`Waiting for the board to be paired`}
      </>
    );
  }
  if (ticket.redeemed_at !== null && !hasCredential) {
    return (
      <>
        <LiveDot tone="warning" />
        {t`No longer paired: its credential is no longer valid. Issue a new ticket.`}
      </>
    );
  }
  if (ticket.redeemed_at !== null) {
    return (
      <>
        <LiveDot tone="success" />
        <span>
          {pairedSentence(
            <RelativeTime moment={ticket.redeemed_at} />,
            ticket.redeemed_from,
            ticket.state === 'paired',
          )}
        </span>
      </>
    );
  }
  return (
    <>
      <LiveDot tone="warning" />
      {ticket.state === 'expired' ? t`The ticket has expired` : t`The ticket was revoked`}
    </>
  );
};

const pairedSentence = (when: ReactNode, from: string | null, isWaiting: boolean): ReactNode => {
  const paired = <strong className="font-semibold text-strong">{t`Paired`}</strong>;
  if (isWaiting) {
    return from === null
      ? t`${paired} ${when}, waiting for its first connection`
      : t`${paired} ${when} from ${from}, waiting for its first connection`;
  }
  if (from !== null) return t`${paired} ${when} from ${from}`;
  return (
    <>
      {paired} {when}
    </>
  );
};
