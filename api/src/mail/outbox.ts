import { uuidV7 } from '@roastery/runtime/uuid';
import type { Sql } from '../db/sql.ts';
import type { Mail } from './smtp.ts';

/** Pauses between attempts: from half a minute, doubling, up to an hour. */
const firstPauseSeconds = 30;
const maxPauseSeconds = 3600;
/** After a day of failures a mail is dropped as outdated. */
const keepTryingHours = 24;
/** While one instance sends a mail, no other takes it. */
const leaseSeconds = 120;

/** Adds a mail to the outbox, in the caller's transaction. */
export const putIntoOutbox = async (tx: Sql, mail: Mail): Promise<void> => {
  await tx`
    INSERT INTO outgoing_mail (id, recipients, subject, body)
    VALUES (${uuidV7()}, ${[...mail.recipients]}, ${mail.subject}, ${mail.body})`;
};

export interface DueMail extends Mail {
  readonly id: string;
  readonly attempts: number;
}

/** The mail that has waited longest, leased for as long as an attempt may take. */
export const takeDueMail = async (sql: Sql): Promise<DueMail | undefined> => {
  const [mail] = await sql<DueMail[]>`
    UPDATE outgoing_mail SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
     WHERE id = (SELECT id FROM outgoing_mail
                  WHERE sent_at IS NULL AND failed_at IS NULL AND next_attempt_at <= now()
                  ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, recipients, subject, body, attempts`;
  return mail;
};

export const noteSent = async (sql: Sql, id: string): Promise<void> => {
  await sql`UPDATE outgoing_mail SET sent_at = now(), last_error = NULL WHERE id = ${id}`;
};

/** Plans the next attempt; returns whether there is none. */
export const noteFailed = async (sql: Sql, mail: DueMail, reason: string): Promise<boolean> => {
  const pause = Math.min(maxPauseSeconds, firstPauseSeconds * 2 ** (mail.attempts - 1));
  const [row] = await sql<{ gave_up: boolean }[]>`
    UPDATE outgoing_mail
       SET last_error = ${reason}, next_attempt_at = now() + make_interval(secs => ${pause}),
           failed_at = CASE WHEN created_at < now() - make_interval(hours => ${keepTryingHours}) THEN now() END
     WHERE id = ${mail.id} RETURNING failed_at IS NOT NULL AS gave_up`;
  return row?.gave_up ?? true;
};

const keepDays = 30;
export const removeOldMail = async (sql: Sql): Promise<void> => {
  await sql`DELETE FROM outgoing_mail WHERE created_at < now() - make_interval(days => ${keepDays})`;
};
