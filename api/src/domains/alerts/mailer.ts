import { isConnectionLost, loggable } from '../../db/postgres-errors.ts';
import { mailRaisedAlerts } from './mail-alerts.ts';
import type { AppContext } from '../../context.ts';
import { noteFailed, noteSent, takeDueMail } from '../../mail/outbox.ts';
import { reasonOf } from '../../mail/smtp.ts';

const everyMs = 2000;

/**
 * Mails alerts in the background: a roast only writes rows, and a slow or unavailable mail server blocks no request.
 * Does nothing without SMTP_URL.
 */
export const mailer = async ({ sql, log, config, sendMail }: AppContext): Promise<{ close(): Promise<void> }> => {
  if (sendMail === undefined) return { close: async () => {} };
  const sendDue = async (): Promise<void> => {
    for (let mail = await takeDueMail(sql); mail !== undefined; mail = await takeDueMail(sql)) {
      const about = { subject: mail.subject, attempt: mail.attempts };
      try {
        await sendMail(mail);
      } catch (error) {
        const reason = reasonOf(error);
        const gaveUp = await noteFailed(sql, mail, reason);
        if (gaveUp) log.error({ ...about, reason }, 'mail failed permanently');
        else log.warn({ ...about, reason }, 'mail failed, will retry');
        continue;
      }
      await noteSent(sql, mail.id);
      log.info(about, 'mail sent');
    }
  };
  let isStopping = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await mailRaisedAlerts(sql, config.publicUrl);
      if (!isStopping) await sendDue();
    } catch (error) {
      if (!isConnectionLost(error)) log.warn(loggable(error), 'outbox read failed');
    }
    running = undefined;
  };
  const timer = setInterval(() => void (running ??= run()), everyMs);
  timer.unref();
  return {
    async close() {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
};
