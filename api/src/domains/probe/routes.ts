import { randomUUID } from 'node:crypto';
import type { Link } from '@roastery/contract/machine-map';
import { lacksMap, topicOf } from '@roastery/contract/mqtt';
import {
  findProbeLine,
  probeMessageShape,
  type ProbeRequest,
  startProbe,
  stopProbe,
  watchProbe,
} from '@roastery/contract/probe';
import type { Domain } from '../../app.ts';
import { jsonHandler } from '../../broker/json-handler.ts';
import type { UserContext } from '../../context.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import { findManagedMachine, readConnections } from '../../identity/machines.ts';
import { AppError } from '../../http/app-error.ts';
import { openSessionStream } from '../../http/session-streams.ts';
import { createSseStream, sseAnswer, sseFrame } from '../../http/sse-stream.ts';

/** A board ignores a request that arrives later. */
const validMs = 15_000;
/** A probe ends by itself after this time; an open page starts another. */
const lastsSeconds = 300;
/** Enough for a person who finds the line, probes and corrects an entry; too few for a script that floods a board. */
const maxStarts = 3;
const startsWithinMs = 10_000;
const heartbeatMs = 10_000;
const maxMessageBytes = 64 * 1024;

/** Starts of each machine's probes by this instance within the last `startsWithinMs`. */
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
  if (first !== undefined && starts.length >= maxStarts) {
    const wait = Math.ceil((startsWithinMs - (now - first)) / 1000);
    throw new AppError('too_many_requests', 'This machine was probed just now. Wait a few seconds.', Math.max(1, wait));
  }
  startedAt.set(machineId, [...starts, now]);
};

const sendRequest = async ({ mqtt }: UserContext, serialNumber: string, request: ProbeRequest): Promise<void> => {
  if (!mqtt.isConnected)
    throw new AppError('not_ready', 'The server has no connection to its broker at the moment.', 5);
  await mqtt.publish(topicOf(serialNumber, 'probe'), JSON.stringify(request), { qos: 1 });
};

type ProbeTarget = Awaited<ReturnType<typeof findManagedMachine>> & {
  /** Only for a board without a machine map: other boards need none, and those of commit f7cf7b7 refuse it. */
  readonly sentLink: { readonly link?: Link };
};

/** A machine of the caller whose board is online and that is not roasting. Otherwise throws with an instruction. */
const findTarget = async (
  { sql, user }: UserContext,
  machineId: string,
  link: Link | undefined,
): Promise<ProbeTarget> => {
  const machine = await findManagedMachine(sql, user, machineId);
  const board = (await readConnections(sql, [machine.id])).get(machine.id);
  const connection = board?.connection;
  if (connection !== 'online') {
    throw new AppError(
      'conflict',
      connection === 'never_connected'
        ? `No board has ever connected for ${machine.display_name}. Pair one first.`
        : `The board of ${machine.display_name} is offline. Check its power and network.`,
    );
  }
  const roasts = await sql`
    SELECT 1 FROM roasts WHERE machine_id = ${machine.id} AND status = 'in_progress' LIMIT 1`;
  if (roasts.length > 0) {
    throw new AppError('conflict', 'A roast is running. Read the registers after it has ended.');
  }
  const needsLink = lacksMap(board?.status ?? null);
  if (needsLink && link === undefined) {
    throw new AppError(
      'conflict',
      `The board of ${machine.display_name} has no machine map yet. Enter the machine’s address or serial adapter.`,
    );
  }
  mayStart(machine.id);
  return { ...machine, sentLink: needsLink && link !== undefined ? { link } : {} };
};

type ProbeOrder =
  | Pick<Extract<ProbeRequest, { do: 'look' }>, 'do' | 'wish'>
  | Pick<Extract<ProbeRequest, { do: 'find' }>, 'do' | 'unit'>;

/** Sends the order to the board; returns the id of the board's messages. */
const startOn = async (context: UserContext, machine: ProbeTarget, order: ProbeOrder): Promise<string> => {
  const id = randomUUID();
  const request = {
    v: 1,
    id,
    expires_at: Date.now() + validMs,
    lasts_s: lastsSeconds,
    ...order,
    ...machine.sentLink,
  } as const;
  await sendRequest(context, machine.serial_number, request);
  return id;
};

const recordProbe = (
  context: UserContext,
  machine: ProbeTarget,
  detail: Record<string, string | number>,
): Promise<void> =>
  recordAudit(context.sql, actorOf(context), {
    action: 'machine.probed',
    subject: machine.id,
    detail: { serial_number: machine.serial_number, ...detail },
  });

/** Reads machines' registers through their boards. Nothing is stored: a board's messages go to the open streams. */
export const probeRoutes: Domain = ({ forUser }) => {
  forUser(startProbe, async (context, { params, body: { link, ...wish } }) => {
    const machine = await findTarget(context, params.id, link);
    const id = await startOn(context, machine, { do: 'look', wish });
    await recordProbe(context, machine, { units: wish.units.join(', '), from: wish.from, count: wish.count });
    return { probe_id: id, lasts_s: lastsSeconds };
  });

  forUser(findProbeLine, async (context, { params, body }) => {
    const machine = await findTarget(context, params.id, body.link);
    const id = await startOn(context, machine, { do: 'find', unit: body.unit });
    await recordProbe(context, machine, { find: 'speed, parity and unit' });
    return { probe_id: id, lasts_s: lastsSeconds };
  });

  forUser(stopProbe, async (context, { params }) => {
    const machine = await findManagedMachine(context.sql, context.user, params.id);
    if (!context.mqtt.isConnected) return { asked: false };
    await sendRequest(context, machine.serial_number, { v: 1, do: 'stop', id: params.probe_id });
    return { asked: true };
  });

  forUser(watchProbe, async (context, { params, signal }) => {
    const session = await openSessionStream(context);
    const machine = await findManagedMachine(context.sql, context.user, params.id).catch((error: unknown) => {
      session.done();
      throw error;
    });
    const stream = createSseStream(session.unread, () => {
      stopBeat();
      stopListening();
      session.done();
    });
    // The next owner of a deleted machine's serial number is not subscribed to.
    let isChecking = false;
    const check = async (): Promise<void> => {
      if (isChecking) return;
      isChecking = true;
      await findManagedMachine(context.sql, context.user, params.id).catch((error: unknown) => {
        if (error instanceof AppError) stream.close();
      });
      isChecking = false;
    };
    const stopBeat = context.clock.every(heartbeatMs, () => {
      stream.heartbeat();
      void check();
    });
    const stopListening = context.mqtt.subscribe(
      topicOf(machine.serial_number, 'probed'),
      0,
      jsonHandler(context.log, { shape: probeMessageShape, maxBytes: maxMessageBytes }, (message) =>
        stream.send(sseFrame('probe', message)),
      ),
    );
    stream.closeOn(AbortSignal.any([signal, session.signal]));
    // The page starts the probe only after this event.
    stream.send(sseFrame('listening', {}));
    return sseAnswer(stream.body);
  });
};
