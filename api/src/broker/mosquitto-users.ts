import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { MqttLogin } from '@roastery/contract/devices';
import { clientIdOf } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { loggable } from '../db/postgres-errors.ts';
import type { Database, Sql } from '../db/sql.ts';
import type { MqttLink } from './channel.ts';
import type { BrokerManagement } from './management.ts';

/** Topics of Mosquitto's plugin for dynamic security. It sends each response to all subscribers. */
const commandTopic = '$CONTROL/dynamic-security/v1';
const responseTopic = `${commandTopic}/response`;

const answerWithinMs = 5000;
/**
 * Mosquitto rewrites its file of users at each change, so batches must be short: a revocation waits for the current
 * one.
 */
const batchUsers = 10;
const pageUsers = 200;
/** How long a user that was found in Mosquitto is assumed to exist there. */
const knownForMs = 60_000;
const compareAgainMs = 5000;

interface User extends MqttLogin {
  readonly clientid: string;
  /** Identifies the password; stored in Mosquitto with the user, whose password can't be read. */
  readonly fingerprint: string;
}
const foundUserShape = z.object({
  username: z.string(),
  clientid: z.string().optional(),
  textdescription: z.string().optional(),
});
type FoundUser = z.infer<typeof foundUserShape>;

const responsesShape = z.object({
  responses: z.array(
    z.object({
      command: z.string(),
      correlationData: z.string().optional(),
      error: z.string().optional(),
      data: z
        .object({ client: foundUserShape.optional(), clients: z.array(foundUserShape).optional() })
        .optional()
        .catch(undefined),
    }),
  ),
});
type Response = z.infer<typeof responsesShape>['responses'][number];
interface Command {
  readonly command: string;
  readonly username?: string;
  readonly [field: string]: unknown;
}

/**
 * Rights of a user without a role: none here, so that `mosquitto.acl` decides. `mosquitto_ctrl dynsec init` lets
 * everyone read everything.
 */
const noRights: Command = {
  command: 'setDefaultACLAccess',
  acls: ['publishClientSend', 'publishClientReceive', 'subscribe', 'unsubscribe'].map((acltype) => ({
    acltype,
    allow: false,
  })),
};

/** Percent-encoded as in the topics of `mosquitto.acl`: a serial number may hold any character. */
const usernameOf = (serialNumber: string): string => encodeURIComponent(serialNumber);
const serialOf = (username: string): string => decodeURIComponent(username);
const isOurs = ({ username, clientid }: FoundUser): boolean => clientid === `board-${username}`;

/**
 * Tokens are stored as hashes, but Mosquitto needs a password, so each machine has one that is derived from the secret
 * key. It changes whenever a credential of the machine ends, so that an earlier password stops working.
 */
const userOf = (secretKey: string, machineId: string, serialNumber: string, ended: number): User => {
  const password = createHmac('sha256', secretKey).update(`mqtt\0${machineId}\0${ended}`).digest('base64url');
  const fingerprint = createHash('sha256').update(password).digest('hex').slice(0, 16);
  return { username: usernameOf(serialNumber), password, clientid: clientIdOf(serialNumber), fingerprint };
};

/** Users of these machines that have a valid credential, by user name. */
const readUsers = async (sql: Sql, secretKey: string, usernames: readonly string[]): Promise<Map<string, User>> => {
  const rows = await sql<{ id: string; serial_number: string; ended: number }[]>`
    SELECT m.id, m.serial_number, count(*) FILTER (WHERE c.revoked_at IS NOT NULL) AS ended
      FROM machines m JOIN machine_credentials c ON c.machine_id = m.id
     WHERE m.serial_number = ANY(${usernames.map(serialOf)}) AND m.archived_at IS NULL
     GROUP BY m.id
    HAVING bool_or(c.revoked_at IS NULL AND (c.expires_at IS NULL OR c.expires_at > now()))`;
  const users = rows.map((row) => userOf(secretKey, row.id, row.serial_number, row.ended));
  return new Map(users.map((user) => [user.username, user]));
};

/** The commands that turn the user in Mosquitto into the wanted one. Removing a user closes its connection. */
const commandsFor = (username: string, user: User | undefined, found: FoundUser | undefined): Command[] => {
  if (found?.textdescription === user?.fingerprint) return [];
  const { fingerprint: textdescription, ...login } = user ?? { fingerprint: '' };
  return [
    ...(found ? [{ command: 'deleteClient', username }] : []),
    ...(user ? [{ command: 'createClient', ...login, textdescription }] : []),
  ];
};

/** The commands of the plugin over this connection. */
const createCommands = (mqtt: MqttLink) => {
  const questions = new Map<string, (responses: Response[]) => void>();

  mqtt.subscribe(responseTopic, 0, (_topic, payload) => {
    const { data } = parseJson(responsesShape, payload.toString('utf8'));
    const id = data?.responses[0]?.correlationData;
    if (data && id !== undefined) questions.get(id)?.(data.responses);
  });

  const command = async (commands: readonly Command[]): Promise<Response[]> => {
    if (commands.length === 0) return [];
    const correlationData = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    try {
      const answered = new Promise<Response[]>((resolve, reject) => {
        questions.set(correlationData, resolve);
        timer = setTimeout(() => reject(new Error('Mosquitto did not answer its command topic')), answerWithinMs);
      });
      // Both may reject.
      await Promise.all([
        answered,
        mqtt.publish(commandTopic, JSON.stringify({ commands: commands.map((one) => ({ ...one, correlationData })) })),
      ]);
      return await answered;
    } finally {
      clearTimeout(timer);
      questions.delete(correlationData);
    }
  };

  const change = async (commands: readonly Command[]): Promise<void> => {
    const failed = (await command(commands)).find(({ error }) => error !== undefined);
    if (failed) throw new Error(`Mosquitto refused ${failed.command}: ${failed.error}`);
  };

  const listOurs = async (): Promise<FoundUser[]> => {
    const all: FoundUser[] = [];
    for (;;) {
      const page = { command: 'listClients', verbose: true, count: pageUsers, offset: all.length };
      const found = (await command([page]))[0]?.data?.clients ?? [];
      all.push(...found);
      if (found.length < pageUsers) return all.filter(isOurs);
    }
  };
  return { command, change, listOurs };
};

export interface MosquittoUsersParts {
  readonly sql: Database;
  readonly mqtt: MqttLink;
  readonly secretKey: string;
  readonly log: Logger;
}

/**
 * Keeps the users of a Mosquitto in step with the credentials of machines. A user is created when its board requests
 * its login, and removed or replaced when a credential ends. After each connect Mosquitto's users are compared with
 * the database. Any number of apis may do so: each reads and writes a batch of users under one advisory lock.
 */
export const keepMosquittoUsers = ({ sql, mqtt, secretKey, log }: MosquittoUsersParts): BrokerManagement => {
  const { command, change, listOurs } = createCommands(mqtt);
  const mayLog = createLogGate(60_000);
  let isClosed = false;
  let compareTimer: NodeJS.Timeout | undefined;
  /** Whether this connection has removed the default rights. */
  let hasTakenRights = false;
  const known = new Map<string, { readonly fingerprint: string; readonly at: number }>();

  const takeRights = async (): Promise<void> => {
    if (!hasTakenRights) await change([noRights]);
    hasTakenRights = true;
  };

  /** Synchronises these users; returns those that it removed or replaced. */
  const update = async (usernames: readonly string[]): Promise<Set<string>> => {
    const removed = await sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(hashtextextended('users of Mosquitto', 0))`;
      await takeRights();
      const users = await readUsers(tx, secretKey, usernames);
      const answers = await command(usernames.map((username) => ({ command: 'getClient', username })));
      const found = new Map(answers.flatMap(({ data }) => (data?.client ? [[data.client.username, data.client]] : [])));
      const commands = usernames.flatMap((name) => commandsFor(name, users.get(name), found.get(name)));
      await change(commands);
      for (const name of usernames) {
        const user = users.get(name);
        if (user) known.set(name, { fingerprint: user.fingerprint, at: performance.now() });
        else known.delete(name);
      }
      return commands.flatMap((one) => (one.command === 'deleteClient' ? [one.username ?? ''] : []));
    });
    return new Set(removed);
  };

  let waiting = new Map<string, ((result: Promise<Set<string>>) => void)[]>();
  let running: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchUsers);
      for (const [username] of batch) waiting.delete(username);
      const result = update(batch.map(([username]) => username));
      for (const [, listeners] of batch) for (const listen of listeners) listen(result);
      await result.catch(() => undefined);
    }
    running = undefined;
  };
  /**
   * Whether the user was removed or replaced. Ended credentials are processed before boards that request their login.
   */
  const bringInStep = async (username: string, hasEnded = false): Promise<boolean> => {
    const removed = await new Promise<Set<string>>((resolve) => {
      const listeners = [...(waiting.get(username) ?? []), resolve];
      if (hasEnded) waiting = new Map([[username, listeners], ...waiting]);
      waiting.set(username, listeners);
      running ??= work();
    });
    return removed.has(username);
  };

  const compare = async (): Promise<void> => {
    await takeRights();
    const found = await listOurs();
    // As before the first start, when there are no tables yet.
    if (found.length === 0) return;
    const users = await readUsers(
      sql,
      secretKey,
      found.map(({ username }) => username),
    );
    const outOfStep = found.filter((user) => user.textdescription !== users.get(user.username)?.fingerprint);
    await Promise.all(outOfStep.map(({ username }) => bringInStep(username, true)));
  };
  const complain = (error: unknown): void => {
    const more = mayLog('users');
    if (more !== undefined) log.warn({ ...loggable(error), more }, 'mosquitto users not in step');
    compareSoon(compareAgainMs);
  };
  const compareSoon = (afterMs: number): void => {
    if (isClosed) return;
    compareTimer ??= setTimeout(() => {
      compareTimer = undefined;
      // It is retried with the next connection.
      if (mqtt.isConnected) compare().catch(complain);
    }, afterMs).unref();
  };
  mqtt.onConnect(() => {
    known.clear();
    hasTakenRights = false;
    clearTimeout(compareTimer);
    compareTimer = undefined;
    compareSoon(0);
  });

  return {
    async disconnect(clientId) {
      try {
        return await bringInStep(clientId.replace(/^board-/, ''), true);
      } catch (error) {
        complain(error);
        return false;
      }
    },
    async loginOf(serialNumber) {
      const username = usernameOf(serialNumber);
      const user = (await readUsers(sql, secretKey, [username])).get(username);
      if (!user) return undefined;
      const before = known.get(username);
      if (before?.fingerprint !== user.fingerprint || performance.now() - before.at > knownForMs)
        await bringInStep(username).catch(complain);
      return { username, password: user.password };
    },
    close() {
      isClosed = true;
      clearTimeout(compareTimer);
    },
  };
};
