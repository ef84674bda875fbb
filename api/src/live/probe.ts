import { randomUUID } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import { lacksMap, topicOf } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import {
  findProbeLine,
  probeMessageShape,
  type ProbeRequest,
  startProbe,
  stopProbe,
  watchProbe,
} from '@roastery/contract/probe';
import type { Domain } from '../app.ts';
import { actorOf, recordAudit } from '../db/audit.ts';
import type { UserContext } from '../context.ts';
import { findOwnMachine } from '../identity/machines.ts';
import { AppError } from '../http/app-error.ts';
import { openSessionStream } from '../http/session-streams.ts';
import { readConnections } from './connection.ts';
import { createSseStream, sseFrame } from './sse-stream.ts';

/** A request is worth nothing later: nobody waits so long. */
const validMs = 15_000;
/** A look ends by itself; whoever still looks begins another. */
const lastsSeconds = 300;
/** A person may find the line and look at once, and correct what they typed; a script may not flood a board. */
const startsAllowed = 3;
const startsWithinMs = 10_000;
const heartbeatMs = 10_000;
const maxMessageBytes = 64 * 1024;

/** When looks at each machine were begun from this instance, of the last `startsWithinMs`. */
const startedAt = new Map<string, readonly number[]>();

const mayStart = (machineId: string): void => {
  const now = performance.now();
  for (const [id, times] of startedAt) {
    const recent = times.filter((at) => now - at < startsWithinMs);
    if (recent.length === 0) startedAt.delete(id);
    else startedAt.set(id, recent);
  }
  const starts = startedAt.get(machineId) ?? [];
  const [first] = starts;
  if (first !== undefined && starts.length >= startsAllowed) {
    const wait = Math.ceil((startsWithinMs - (now - first)) / 1000);
    throw new AppError('too_many_requests', 'This machine was asked just now. Wait a few seconds', Math.max(1, wait));
  }
  startedAt.set(machineId, [...starts, now]);
};

const ask = async ({ mqtt }: UserContext, serialNumber: string, request: ProbeRequest): Promise<void> => {
  if (!mqtt.isConnected) throw new AppError('not_ready', 'The server has no connection to its broker just now', 5);
  await mqtt.publish(topicOf(serialNumber, 'probe'), JSON.stringify(request), { qos: 1 });
};

type AskedMachine = Awaited<ReturnType<typeof findOwnMachine>> & {
  /** For a board without a machine map alone: boards that have one need none, and those up to 0.1.0 refuse it. */
  readonly sentLink: { readonly link?: Link };
};

/** One's own machine, whose board is there, and where no roast runs. Throws what to do otherwise. */
const askableMachine = async (
  { sql, user }: UserContext,
  machineId: string,
  link: Link | undefined,
): Promise<AskedMachine> => {
  const machine = await findOwnMachine(sql, user, machineId);
  const board = (await readConnections(sql, [machine.id])).get(machine.id);
  const connection = board?.connection;
  if (connection !== 'online') {
    throw new AppError(
      'conflict',
      connection === 'never_connected'
        ? `No board has ever connected for ${machine.display_name}. Pair one first`
        : `The board of ${machine.display_name} is offline. Is it switched on, and on the network?`,
    );
  }
  const roasts = await sql`
    SELECT 1 FROM roasts WHERE machine_id = ${machine.id} AND status = 'in_progress' LIMIT 1`;
  if (roasts.length > 0) {
    throw new AppError('conflict', 'A roast is running: the machine is not looked at until it has ended');
  }
  const needsLink = lacksMap(board?.status ?? null);
  if (needsLink && link === undefined) {
    throw new AppError(
      'conflict',
      `The board of ${machine.display_name} has no machine map yet. Enter the machine’s address or serial adapter`,
    );
  }
  mayStart(machine.id);
  return { ...machine, sentLink: needsLink && link !== undefined ? { link } : {} };
};

type Wish =
  | Pick<Extract<ProbeRequest, { do: 'look' }>, 'do' | 'wish'>
  | Pick<Extract<ProbeRequest, { do: 'find' }>, 'do' | 'unit'>;

/** Asks the board; answers the id under which it will tell what it sees. */
const begin = async (context: UserContext, machine: AskedMachine, wish: Wish): Promise<string> => {
  const id = randomUUID();
  const request = {
    v: 1,
    id,
    expires_at: Date.now() + validMs,
    lasts_s: lastsSeconds,
    ...wish,
    ...machine.sentLink,
  } as const;
  await ask(context, machine.serial_number, request);
  return id;
};

const recordProbe = (
  context: UserContext,
  machine: AskedMachine,
  detail: Record<string, string | number>,
): Promise<void> =>
  recordAudit(context.sql, actorOf(context), {
    action: 'machine.probed',
    subject: machine.id,
    detail: { serial_number: machine.serial_number, ...detail },
  });

/** Looks at machines' registers through their boards. Nothing is kept here: what a board says goes to whoever watches. */
export const probeRoutes: Domain = ({ forUser }) => {
  forUser(startProbe, async (context, { params, body: { link, ...wish } }) => {
    const machine = await askableMachine(context, params.id, link);
    const id = await begin(context, machine, { do: 'look', wish });
    await recordProbe(context, machine, { units: wish.units.join(', '), from: wish.from, count: wish.count });
    return { probe_id: id, lasts_s: lastsSeconds };
  });

  forUser(findProbeLine, async (context, { params, body }) => {
    const machine = await askableMachine(context, params.id, body.link);
    const id = await begin(context, machine, { do: 'find', unit: body.unit });
    await recordProbe(context, machine, { find: 'speed, parity and unit' });
    return { probe_id: id, lasts_s: lastsSeconds };
  });

  forUser(stopProbe, async (context, { params }) => {
    const machine = await findOwnMachine(context.sql, context.user, params.id);
    if (!context.mqtt.isConnected) return { asked: false };
    await ask(context, machine.serial_number, { v: 1, do: 'stop', id: params.probe_id });
    return { asked: true };
  });

  forUser(watchProbe, async (context, { params, signal }) => {
    const { sql, user, mqtt, log } = context;
    const machine = await findOwnMachine(sql, user, params.id);
    const session = await openSessionStream(context);
    const end = AbortSignal.any([signal, session.signal]);
    const stream = createSseStream(() => {
      end.removeEventListener('abort', stream.close);
      clearInterval(beat);
      stopListening();
      session.done();
    });
    const beat = setInterval(stream.heartbeat, heartbeatMs);
    const stopListening = mqtt.subscribe(topicOf(machine.serial_number, 'probed'), 0, (_topic, payload) => {
      if (payload.length > maxMessageBytes) return;
      const message = parseJson(probeMessageShape, payload.toString('utf8'));
      if (message.success) stream.send(sseFrame('probe', message.data));
      else log.warn({ machine: machine.id, reason: describeRefusal(message) }, 'probe message refused');
    });
    if (end.aborted) stream.close();
    else end.addEventListener('abort', stream.close);
    // The page asks the board only when it can hear the answer.
    stream.send(sseFrame('listening', {}));
    return new Response(stream.body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
    });
  });
};
