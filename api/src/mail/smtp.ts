import { createTransport } from 'nodemailer';

export interface Mail {
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly body: string;
}

/** Sends a mail. Throws with the mail server's answer when it accepts no recipient. */
export type SendMail = (mail: Mail) => Promise<void>;

const patienceMs = 15_000;

/** Sends through the server of an `smtp://` or `smtps://` address. Every step of the dialogue has a limit. */
export const createSmtp = (url: string, from: string): SendMail => {
  const transport = createTransport({
    url,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    dnsTimeout: patienceMs,
    // A mail consists of our own texts only: nothing is read from files or the network for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ recipients, subject, body }) => {
    await transport.sendMail({ from, to: [...recipients], subject, text: body });
  };
};

/** A mail server's answer as one line for a person. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 300);
