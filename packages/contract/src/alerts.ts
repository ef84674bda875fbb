import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Alerts');

export const lotAlertShape = z.object({
  lot_id: idShape,
  lot_number: z.string(),
  coffee_name: z.string(),
  /** Weight now, kg; it may have been more when the alert was raised. */
  current_weight: z.number(),
  raised_at: instantShape,
  /** Names of the recipes that watch the lot. */
  recipes: z.array(z.string()),
});
export type LotAlert = z.infer<typeof lotAlertShape>;

export const listAlerts = endpoint({
  name: 'listAlerts',
  method: 'GET',
  path: '/alerts',
  summary: 'Low-stock alerts: watched lots below 20 kg that the user has not dismissed, newest first',
  response: z.object({ alerts: z.array(lotAlertShape) }),
});

export const dismissAlert = endpoint({
  name: 'dismissAlert',
  method: 'POST',
  path: '/alerts/{id}/dismiss',
  summary: 'Dismiss the alert of this lot for the user, until the lot is restocked and falls below the threshold again',
  params: z.object({ id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});

export const mailStatusShape = z.object({
  /** Whether the api was given SMTP_URL. */
  is_configured: z.boolean(),
  from: z.string().nullable(),
  /** Recipients: active administrators and the roastery's address for alerts. */
  recipients: z.array(z.string()),
  waiting: z.number().int(),
  last_sent_at: instantShape.nullable(),
  /** The newest email that could not be sent so far, and the mail server's answer. */
  problem: z.object({ at: instantShape, subject: z.string(), error: z.string(), gave_up: z.boolean() }).nullable(),
});
export type MailStatus = z.infer<typeof mailStatusShape>;

export const getMailStatus = endpoint({
  name: 'getMailStatus',
  method: 'GET',
  path: '/settings/mail',
  summary: 'Whether mail can be sent, the recipients of alerts, and the last error',
  access: 'admin',
  response: mailStatusShape,
});

export const sendTestMail = endpoint({
  name: 'sendTestMail',
  method: 'POST',
  path: '/settings/mail/test',
  summary: 'Send a test mail to the signed-in user; an error contains the answer of the mail server',
  access: 'admin',
  response: messageShape,
  errors: ['conflict'],
});
