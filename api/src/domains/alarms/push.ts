import * as contract from '@roastery/contract/push';
import { maxPushDevices, type PushDevice } from '@roastery/contract/push';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Routes } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, invalid, notFound } from '../../http/app-error.ts';
import { isInForce } from '../../http/sessions.ts';
import { isUsable, makePushKeys, type PushKeys, type PushTarget } from '../../mail/web-push.ts';
import type { NewAlarm } from './stored-alarms.ts';

export const mountPush = (routes: Routes): void => {
  routes.forUser(contract.getPush, async ({ sql, user }) => ({
    public_key: (await readPushKeys(sql)).publicKey,
    devices: await readDevices(sql, user.id),
  }));
  routes.forUser(contract.subscribePush, (context, { body }) => subscribe(context, body));
  routes.forUser(contract.unsubscribePush, (context, { params }) => unsubscribe(context, params.id));
};

/** The roastery's key; the first call creates it. The private part stays in the database. */
export const readPushKeys = async (sql: Sql): Promise<PushKeys> => {
  const read = () => sql<PushKeys[]>`SELECT public_key AS "publicKey", private_key AS "privateKey" FROM push_keys`;
  const [known] = await read();
  if (known !== undefined) return known;
  const { publicKey, privateKey } = makePushKeys();
  await sql`INSERT INTO push_keys (public_key, private_key) VALUES (${publicKey}, ${privateKey}) ON CONFLICT DO NOTHING`;
  const [made] = await read();
  if (made === undefined) throw new Error('the push keys are missing');
  return made;
};

const readDevices = async (sql: Sql, userId: string): Promise<PushDevice[]> => {
  const rows = await sql<PushDevice[]>`
    SELECT p.id, p.endpoint, p.user_agent, p.created_at
      FROM push_subscriptions p JOIN sessions s ON s.id = p.session_id JOIN users u ON u.id = s.user_id
     WHERE p.user_id = ${userId} AND ${isInForce(sql)} ORDER BY p.created_at, p.id`;
  return [...rows];
};

/** The push services of the browsers. The api sends to no other address from a user, unless PUSH_HOSTS lists it. */
const pushHosts = [
  /^fcm\.googleapis\.com$/,
  /^(?:[\w-]+\.)*push\.services\.mozilla\.com$/,
  /^(?:[\w-]+\.)*push\.apple\.com$/,
  /^(?:[\w-]+\.)*notify\.windows\.com$/,
];

const isPushService = (endpoint: string, listed: readonly string[]): boolean => {
  const { protocol, host } = new URL(endpoint);
  return listed.includes(host) || (protocol === 'https:' && pushHosts.some((known) => known.test(host)));
};

const subscribe = async (context: UserContext, target: PushTarget): Promise<PushDevice> => {
  const { user, userAgent, config, sessionId } = context;
  if (!isPushService(target.endpoint, config.pushHosts)) {
    throw invalid('endpoint', 'This push service is not known. An administrator can add it to PUSH_HOSTS.');
  }
  if (!isUsable(target)) throw invalid('p256dh', 'This is not a browser’s key');
  return context.sql.begin(async (tx) => {
    await tx`SELECT 1 FROM users WHERE id = ${user.id} FOR NO KEY UPDATE`;
    const others = (await readDevices(tx, user.id)).filter(({ endpoint }) => endpoint !== target.endpoint);
    if (others.length >= maxPushDevices) {
      throw new AppError('conflict', `Alarms are already sent to ${maxPushDevices} browsers. Turn one off first.`);
    }
    await tx`
      INSERT INTO push_subscriptions (id, user_id, session_id, endpoint, p256dh, auth, user_agent)
      VALUES (${uuidV7()}, ${user.id}, ${sessionId}, ${target.endpoint}, ${target.p256dh}, ${target.auth}, ${userAgent})
      ON CONFLICT (endpoint) DO UPDATE SET user_id = excluded.user_id, session_id = excluded.session_id, p256dh = excluded.p256dh,
        auth = excluded.auth, user_agent = excluded.user_agent, created_at = now()`;
    const device = (await readDevices(tx, user.id)).find(({ endpoint }) => endpoint === target.endpoint);
    if (device === undefined) throw notFound('Browser');
    await recordAudit(tx, actorOf(context), { action: 'push.subscribed', subject: device.id });
    return device;
  });
};

const unsubscribe = (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    const gone = await tx`DELETE FROM push_subscriptions WHERE id = ${id} AND user_id = ${context.user.id}`;
    if (gone.count === 0) throw notFound('Browser');
    await recordAudit(tx, actorOf(context), { action: 'push.unsubscribed', subject: id });
    return { message: 'No more alarms are sent to this browser.' };
  });

/** Current alarms, claimed by one instance. An alarm that could not be sent in time is skipped. */
export const takeAlarmsToPush = async (sql: Sql) => {
  const rows = await sql<
    {
      id: string;
      kind: NewAlarm['kind'];
      channel: string | null;
      machine_id: string;
      machine_name: string;
      message: string | null;
      said_number: string | null;
      coffee_name: string | null;
    }[]
  >`
    WITH due AS (
      UPDATE roast_alarms SET pushed_at = now() WHERE id IN (
        SELECT id FROM roast_alarms
         WHERE push AND pushed_at IS NULL AND NOT is_late AND raised_at > now() - interval '1 minute'
         ORDER BY raised_at LIMIT 20 FOR UPDATE SKIP LOCKED)
      RETURNING id, kind, channel, machine_id, roast_id, message)
    SELECT d.id, d.kind, d.channel, d.machine_id, m.display_name AS machine_name, d.message, r.said_number, r.coffee_name
      FROM due d JOIN machines m ON m.id = d.machine_id LEFT JOIN roasts r ON r.id = d.roast_id`;
  return [...rows];
};

/**
 * The browsers of a machine's people: its owner and members, or all users by the roastery's setting. A subscription ends
 * with the session of its browser.
 */
export const readPushTargets = async (sql: Sql, machineId: string): Promise<(PushTarget & { id: string })[]> => {
  const rows = await sql<(PushTarget & { id: string })[]>`
    SELECT p.id, p.endpoint, p.p256dh, p.auth FROM push_subscriptions p
      JOIN sessions s ON s.id = p.session_id JOIN users u ON u.id = s.user_id
      JOIN machines m ON m.id = ${machineId}
     WHERE ${isInForce(sql)} AND (u.id = m.owner_id
       OR EXISTS (SELECT FROM machine_members k WHERE k.machine_id = m.id AND k.user_id = u.id)
       OR (SELECT all_users_see_all_machines FROM roastery_settings))
     ORDER BY p.id`;
  return [...rows];
};

export const forgetPushTarget = async (sql: Sql, id: string): Promise<void> => {
  await sql`DELETE FROM push_subscriptions WHERE id = ${id}`;
};
