import type { MailStatus } from '@roastery/contract/alerts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { AppError } from '../../http/app-error.ts';
import { reasonOf } from '../../mail/smtp.ts';
import { alertRecipients } from './mail-alerts.ts';

export const readMailStatus = async ({ sql, config }: UserContext): Promise<MailStatus> => {
  const [counts] = await sql<{ waiting: number; last_sent_at: string | null }[]>`
    SELECT count(*) FILTER (WHERE sent_at IS NULL AND failed_at IS NULL) AS waiting, max(sent_at) AS last_sent_at
      FROM outgoing_mail`;
  const [problem] = await sql<NonNullable<MailStatus['problem']>[]>`
    SELECT coalesce(failed_at, created_at) AS at, subject, last_error AS error, failed_at IS NOT NULL AS gave_up
      FROM outgoing_mail WHERE sent_at IS NULL AND last_error IS NOT NULL ORDER BY created_at DESC LIMIT 1`;
  return {
    is_configured: config.smtpUrl !== undefined,
    from: config.mailFrom ?? null,
    recipients: await alertRecipients(sql),
    waiting: counts?.waiting ?? 0,
    last_sent_at: counts?.last_sent_at ?? null,
    problem: problem ?? null,
  };
};

/** Sends at once, without the outbox: an administrator waits for the result. */
export const sendTestMail = async (context: UserContext): Promise<{ message: string }> => {
  const { user, sendMail, config, log } = context;
  if (sendMail === undefined) {
    throw new AppError(
      'conflict',
      'No mail server is configured. Set SMTP_URL and MAIL_FROM for the api and restart it.',
    );
  }
  try {
    await sendMail({
      recipients: [user.email],
      subject: 'Test email from the roastery',
      body: `Email delivery works. Low-stock alerts will be sent to this address.\n\n${config.publicUrl}\n`,
    });
  } catch (error) {
    const reason = reasonOf(error);
    log.warn({ reason }, 'test mail failed');
    throw new AppError('conflict', `The mail server rejected the test email (${reason}).`);
  }
  await recordAudit(context.sql, actorOf(context), { action: 'mail.tested', detail: { to: user.email } });
  return { message: `A test email was sent to ${user.email}.` };
};
