import { lowStockKg } from '@roastery/contract/limits';
import type { Database, Sql } from '../../db/sql.ts';
import { readerFormats, type ReaderFormats } from '../../format/reader-formats.ts';
import { preferencesOf } from '../../identity/preferences.ts';
import { isWatched } from '../../ledger/move-lot.ts';
import { putIntoOutbox } from '../../mail/outbox.ts';

/** Active administrators, and the alert address of the roastery's settings. */
export const alertRecipients = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ email: string }[]>`
    SELECT email FROM users WHERE is_active AND is_admin
    UNION SELECT lower(alert_email) FROM roastery_settings WHERE alert_email <> ''
    ORDER BY 1`;
  return rows.map((row) => row.email);
};

/** Recipients with the same unit of weight get the same mail. An address without an account gets kg. */
const alertReaders = async (sql: Sql): Promise<{ formats: ReaderFormats; recipients: string[] }[]> => {
  const rows = await sql<{ email: string; preferences: Record<string, unknown> | null }[]>`
    SELECT a.email, u.preferences FROM unnest(${await alertRecipients(sql)}::text[]) AS a (email)
      LEFT JOIN users u ON u.email = a.email ORDER BY a.email`;
  const readers = new Map<string, { formats: ReaderFormats; recipients: string[] }>();
  for (const { email, preferences } of rows) {
    const { weight_unit, date_language } = preferencesOf(preferences ?? {});
    const key = `${weight_unit} ${date_language}`;
    const reader = readers.get(key) ?? { formats: readerFormats({ weight_unit, date_language }), recipients: [] };
    reader.recipients.push(email);
    readers.set(key, reader);
  }
  return [...readers.values()];
};

interface RaisedAlert {
  lot_id: string;
  lot_number: string;
  coffee_name: string;
  current_weight: number;
}

const lineOf = (
  { lot_id: id, lot_number: number, coffee_name: coffee, current_weight: kg }: RaisedAlert,
  url: string,
  formats: ReaderFormats,
) => `${coffee} (lot ${number}): ${formats.weight(kg)} left\n${url}/inventory/lots/${id}/edit`;

/**
 * One mail per unit of weight, about all lots that fell below the threshold since the last one; each is mailed once per
 * crossing.
 */
export const mailRaisedAlerts = async (sql: Database, publicUrl: string): Promise<void> =>
  sql.begin(async (tx) => {
    const raised = await tx<RaisedAlert[]>`
      SELECT a.lot_id, l.lot_number, l.coffee_name, l.current_weight
        FROM lot_alerts a JOIN lots l ON l.id = a.lot_id
       WHERE a.mailed_at IS NULL AND ${isWatched(tx)} ORDER BY a.raised_at FOR UPDATE OF a SKIP LOCKED`;
    const [first] = raised;
    if (first === undefined) return;
    for (const { formats, recipients } of await alertReaders(tx)) {
      const below = `below ${formats.weight(lowStockKg)}`;
      const subject =
        raised.length === 1
          ? `Low stock: ${first.coffee_name} (lot ${first.lot_number}) is ${below}`
          : `Low stock: ${raised.length} lots are ${below}`;
      const lines = raised.map((alert) => lineOf(alert, publicUrl, formats)).join('\n\n');
      const body = `Green coffee with a low-stock alert has fallen ${below}.\n\n${lines}\n`;
      await putIntoOutbox(tx, { recipients, subject, body });
    }
    await tx`UPDATE lot_alerts SET mailed_at = now() WHERE lot_id = ANY(${raised.map(({ lot_id: id }) => id)}::uuid[])`;
  });
