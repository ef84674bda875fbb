import { hash, randomBytes } from 'node:crypto';
import { memoryTopic } from '@roastery/contract/mqtt';
import { createBackoff, pause } from '@roastery/runtime/backoff';
import type { Logger } from '@roastery/runtime/logger';
import { serial, type Serial } from '@roastery/runtime/turns';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import type { MqttLink } from './channel.ts';
import { inTime } from './link.ts';

/** A message that a broker keeps until the next one of its topic. */
export interface RetainedMessage {
  readonly topic: string;
  readonly text: string;
}

interface Parts {
  readonly sql: Database;
  readonly log: Logger;
}

const turns = new WeakMap<MqttLink, Serial>();
const turnsOf = (link: MqttLink): Serial => {
  const own = turns.get(link) ?? serial();
  turns.set(link, own);
  return own;
};

/** One piece of work at a broker at a time, of all instances: two that own a machine for a moment publish its messages once. */
const inTurn = <Result>({ sql }: Pick<Parts, 'sql'>, link: MqttLink, work: (tx: Sql) => Promise<Result>) =>
  turnsOf(link)(() =>
    sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`retained at ${link.knownAs}`}, 0))`;
      return work(tx);
    }),
  );

/**
 * Publishes those of these messages that the broker doesn't retain as they are. They are read in turn: of two changes at once the newest
 * is published last. A message that is too large is logged and skipped; rejects when the connection is lost.
 */
export const publishRetained = async (
  { sql, log }: Parts,
  link: MqttLink,
  read: (tx: Sql) => Promise<readonly RetainedMessage[]>,
): Promise<void> => {
  await inTurn({ sql }, link, async (tx) => {
    const messages = await read(tx);
    if (messages.length === 0) return;
    const textOf = new Map(messages.map(({ topic, text }) => [topic, text]));
    const hashed = messages.map(({ topic, text }) => ({ topic, hash: hash('sha1', text, 'base64') }));
    const due = await tx<{ topic: string; hash: string }[]>`
      SELECT topic, hash
      FROM unnest(${hashed.map(({ topic }) => topic)}::text[], ${hashed.map((one) => one.hash)}::text[]) AS wanted (topic, hash)
      WHERE NOT EXISTS (
        SELECT FROM retained_messages kept
        WHERE kept.topic = wanted.topic AND kept.broker = ${link.knownAs} AND kept.hash = wanted.hash)`;
    // A broker that hangs must not keep the transaction open, for which other instances wait.
    const published = await inTime(
      Promise.allSettled(
        due.map(({ topic }) => link.publish(topic, textOf.get(topic) ?? '', { qos: 1, retain: true })),
      ),
    );
    const kept = due.filter((_, n) => published[n]?.status === 'fulfilled');
    await tx`
      INSERT INTO retained_messages (topic, broker, hash)
      SELECT topic, ${link.knownAs}, hash
      FROM unnest(${kept.map(({ topic }) => topic)}::text[], ${kept.map((one) => one.hash)}::text[]) AS kept (topic, hash)
      ON CONFLICT (topic, broker) DO UPDATE SET hash = excluded.hash`;
    for (const [n, { topic }] of due.entries()) {
      const result = published[n];
      if (result?.status === 'rejected') log.warn({ ...loggable(result.reason), topic }, 'message not published');
    }
  });
  if (!link.isConnected) throw new Error('the broker is not connected');
};

/** After these topics were cleared: no broker retains them. */
export const forgetRetained = async (sql: Sql, topics: readonly string[]): Promise<void> => {
  await sql`DELETE FROM retained_messages WHERE topic = ANY(${[...topics]}::text[])`;
};

/** Of this process, for a database whose origin it may not read: then the first connect of each process publishes everything again. */
const ownOrigin = randomBytes(8).toString('hex');

/**
 * A database that was restored or that followed a lost primary has another origin: its brokers may retain what it doesn't know.
 * Everybody may call these functions of Postgres until that is revoked, as some providers of databases do.
 */
const originOf = async (tx: Sql): Promise<string> => {
  const [{ may } = { may: false }] = await tx<{ may: boolean }[]>`
    SELECT has_function_privilege('pg_control_system()', 'EXECUTE')
       AND has_function_privilege('pg_control_checkpoint()', 'EXECUTE') AS may`;
  if (!may) return ownOrigin;
  const [row] = await tx<{ origin: string }[]>`
    SELECT concat_ws('.', s.system_identifier, c.timeline_id, d.oid, 'retained_messages'::regclass::oid) AS origin
    FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()`;
  return row?.origin ?? ownOrigin;
};

/** Forgets what the broker retained unless it still has the word that was left there. */
const compare = (parts: Pick<Parts, 'sql'>, link: MqttLink): Promise<void> =>
  inTurn(parts, link, async (tx) => {
    const { knownAs: broker } = link;
    const origin = await originOf(tx);
    const [known] = await tx<{ memory: string }[]>`
      UPDATE broker_memories SET compared_at = now() WHERE broker = ${broker} RETURNING memory`;
    const kept = await link.readRetained(memoryTopic);
    if (known !== undefined && kept === `${known.memory} ${origin}`) return;
    const memory = randomBytes(8).toString('hex');
    // Brokers that have left are forgotten too: what is forgotten too early is published once more.
    await tx`
      DELETE FROM retained_messages WHERE broker = ${broker} OR broker IN (
        SELECT broker FROM broker_memories WHERE compared_at < now() - interval '90 days')`;
    await tx`DELETE FROM broker_memories WHERE compared_at < now() - interval '90 days'`;
    await tx`
      INSERT INTO broker_memories (broker, memory) VALUES (${broker}, ${memory})
      ON CONFLICT (broker) DO UPDATE SET memory = excluded.memory`;
    await inTime(link.publish(memoryTopic, `${memory} ${origin}`, { qos: 1, retain: true }));
  });

/**
 * The link, connected only once it is known what its broker retains: after each (re)connect it is compared whether the broker has lost
 * its memory.
 */
export const rememberingLink = (
  { sql, log }: Parts,
  link: MqttLink,
): Pick<MqttLink, 'isConnected' | 'onConnect'> & { close(): Promise<void> } => {
  const handlers = new Set<() => void>();
  let connection = 0;
  let known = 0;
  const isConnected = (): boolean => link.isConnected && known === connection;
  const compareNow = async (): Promise<void> => {
    const own = ++connection;
    const isCurrent = (): boolean => link.isConnected && own === connection;
    const backoff = createBackoff(500, 10_000);
    while (isCurrent()) {
      try {
        await compare({ sql }, link);
        if (!isCurrent()) return;
        known = own;
        for (const handler of handlers) handler();
        return;
      } catch (error) {
        log.warn({ ...loggable(error), broker: link.broker }, 'retained messages not compared');
        await pause(backoff.nextMs());
      }
    }
  };
  const stop = link.onConnect(() => void compareNow());
  return {
    get isConnected() {
      return isConnected();
    },
    onConnect(handler) {
      handlers.add(handler);
      if (isConnected()) handler();
      return () => handlers.delete(handler);
    },
    async close() {
      stop();
      connection += 1;
      await turnsOf(link).settled();
    },
  };
};
