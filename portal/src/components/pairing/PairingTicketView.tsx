import { artisanCommand, getBoardPackages, installCommand } from '@roastery/contract/board-packages';
import { notePairingTicket } from '@roastery/contract/fleet';
import { Download, Mail } from 'lucide-react';
import { useEffect } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { useUser } from '../../api/session.tsx';
import { t } from '../../language/t.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { CommandLine } from '../CommandLine.tsx';
import { personName } from '../person-name.ts';
import { useDates } from '../../format/preferences.ts';
import { pairingTicket, supportMail, ticketId, type TicketFacts } from './device-configuration.ts';
import { CardSettings } from './CardSettings.tsx';
import { PairingState } from './PairingState.tsx';
import { saveFile } from '../save-file.ts';

/** Writes a row in the audit log. The ticket is shown even when that fails. */
const note = async (machineId: string, what: 'viewed' | 'downloaded'): Promise<void> => {
  try {
    await call(notePairingTicket, { params: { id: machineId }, body: { what } });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
};

/** A ticket, shown once: how to send it to support, and whether the board was paired with it. */
export const PairingTicketView = ({ ticket, machineId }: { ticket: TicketFacts; machineId: string }) => {
  const user = useUser();
  const dates = useDates();
  const id = ticketId(ticket.pairing_code);
  const validUntil = dates.dayAndTime(ticket.pairing_expires_at);
  const mail = supportMail(ticket);
  const { data: software } = useApi(getBoardPackages, {});
  const portalUrl = software !== undefined && software.repository !== null ? software.portal_url : undefined;
  const portable = software?.repository?.portable;
  const command = `device-agent pair ${id} --api ${ticket.api_url}`;

  useEffect(() => {
    void note(machineId, 'viewed');
  }, [machineId]);

  const download = () => {
    saveFile({ name: `${id}.txt`, content: pairingTicket(ticket, `${personName(user)} <${user.email}>`, validUntil) });
    void note(machineId, 'downloaded');
  };

  return (
    <div className="flex flex-col gap-3">
      <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-sm text-content marker:text-muted">
        <li>
          {t`Download the pairing ticket. Its ID is ${<strong className="font-mono font-medium text-strong">{id}</strong>}.`}
        </li>
        <li>
          {ticket.support_email === null
            ? t`Contact support by email, with the ticket ID in the subject, and attach the file. It holds no token.`
            : t`Contact support by email at ${<span className="font-medium text-strong">{ticket.support_email}</span>}, with the ticket ID in the subject, and attach the file. It holds no token.`}
        </li>
        <li>{t`The ticket works once, until ${validUntil}. Pairing replaces the machine token the board had before.`}</li>
      </ol>
      {portalUrl !== undefined && (
        <>
          <p className="text-sm text-content">{t`On a board without software: installs it and pairs the board.`}</p>
          <CommandLine command={installCommand(portalUrl, id)} label={t`Copy installation command`} />
          <p className="text-sm text-content">{t`On a board with its software:`}</p>
        </>
      )}
      <CommandLine command={command} label={t`Copy pairing command`} />
      {portalUrl !== undefined && portable !== undefined && (
        <details className="rounded-md border border-stroke px-3 py-2">
          <summary className="cursor-pointer text-sm font-medium text-strong">{t`This machine runs with Artisan`}</summary>
          <div className="mt-2 flex flex-col gap-3 text-sm text-content">
            <p>
              {t`No board is needed. On the computer that runs Artisan, install Node.js 20.19 or later, then run this command in a terminal. It is the same on Windows, macOS and Linux, but has been tested on Linux only. It asks for Artisan’s autosave folder.`}
            </p>
            <CommandLine command={artisanCommand(portalUrl, portable, id)} label={t`Copy the command for Artisan`} />
            <ul className="flex list-disc flex-col gap-1 pl-5 marker:text-muted">
              <li>{t`In Artisan, Config, Autosave: tick Autosave and choose the folder.`}</li>
              <li>{t`In Artisan, Config, Curves, UI: start WebLCDs on port 8080 for the live view.`}</li>
            </ul>
          </div>
        </details>
      )}
      {portalUrl !== undefined && (
        <CardSettings
          serialNumber={ticket.serial_number}
          portalUrl={portalUrl}
          ticket={id}
          onDownload={() => void note(machineId, 'downloaded')}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button icon={<Download aria-hidden />} onClick={download}>
          {t`Download ticket`}
        </Button>
        {mail !== undefined && (
          <a href={mail} className={buttonClass('secondary', 'sm')}>
            <Mail aria-hidden />
            {t`Write an email`}
          </a>
        )}
      </div>
      <PairingState machineId={machineId} />
    </div>
  );
};
