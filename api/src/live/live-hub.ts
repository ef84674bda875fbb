import type { Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { parseRoastNotice, roastChangedChannel } from '../domains/roasts/announce-roast.ts';
import { readRoast } from '../domains/roasts/roast-row.ts';
import { machineStatusChannel } from '../ingest/statuses.ts';
import { readBacklog, readSince } from './backlog.ts';
import { readConnections, type WatchedMachine } from './connection.ts';
import { createRoom, type Room, type Watcher } from './room.ts';
import { createSseStream, sseEvent } from './sse-stream.ts';

/** Proxies and browsers give up on a silent answer; this often a comment says that we are here. */
const heartbeatMs = 10_000;
/** An archived machine's watchers are sent away, and a silent machine goes offline, within this time. */
const lookMs = 1000;
/** By then a new subscription is in force, and what was sent before it is committed. */
const catchUpMs = 1500;

export interface LiveHubParts {
  readonly sql: Database;
  /** A connection of its own: the broker sends a message once for all overlapping filters of a client, or once for each. */
  readonly mqtt: MqttLink;
  readonly log: Logger;
}

const stateOf = ({ connection, status }: WatchedMachine): string => JSON.stringify([connection, status]);

const tellConnection = (room: Room, now: WatchedMachine): void => {
  const { connection, last_seen_at, status } = now;
  room.broadcast({ type: 'status', connection, last_seen_at, status });
};

/** Server-sent events of machines, for any number of watchers: each machine's topics are subscribed to once. */
export const createLiveHub = async ({ sql, mqtt, log }: LiveHubParts) => {
  const rooms = new Map<string, Room>();
  const timers = new Set<NodeJS.Timeout>();

  const guard = (what: string, work: Promise<unknown>): void => {
    work.catch((error: unknown) => log.warn(loggable(error), what));
  };

  const closeRoom = (room: Room): void => {
    rooms.delete(room.machine.id);
    room.close();
  };

  const catchUp = async (room: Room): Promise<void> => {
    const { epoch, seq } = room.newest;
    // Some way back, since live readings and journal overtake each other.
    const samples = await readSince(sql, room.machine.id, epoch, seq - 100);
    if (samples !== undefined) room.broadcast({ type: 'samples', samples });
  };

  const later = (ms: number, work: () => Promise<unknown>): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      guard('live: catching up failed', work());
    }, ms);
    timers.add(timer);
  };

  const tellRoast = async (room: Room, roastId: string): Promise<void> => {
    const [read, favourites] = await Promise.all([
      readRoast(sql, roastId, null),
      sql<{ user_id: string }[]>`SELECT user_id FROM roast_favorites WHERE roast_id = ${roastId}`,
    ]);
    if (read === undefined) return;
    const event = { type: 'roast' as const, roast: read.roast, charge_mono: read.chargeMonoMs };
    room.broadcastRoast(event, new Set(favourites.map((row) => row.user_id)));
  };

  /** Every page of the machine starts again, with a backlog without the roast. */
  const endWithRoast = (room: Room, roastId: string): void => {
    const bytes = sseEvent({ type: 'roast_deleted', roast_id: roastId });
    // Also to a watcher whose backlog is still being read.
    for (const watcher of room.watchers) watcher.stream.send(bytes);
    closeRoom(room);
  };

  /** What each room's watchers know, so that only changes are told. */
  const told = new WeakMap<Room, string>();
  const look = async (): Promise<void> => {
    if (rooms.size === 0) return;
    const machines = await readConnections(sql, [...rooms.keys()]);
    for (const room of rooms.values()) {
      const now = machines.get(room.machine.id);
      if (now === undefined) {
        closeRoom(room);
        continue;
      }
      const state = stateOf(now);
      if (told.get(room) !== state) tellConnection(room, now);
      told.set(room, state);
    }
  };

  /** What happened to roasts while nobody could listen to the database was said to nobody. */
  const tellNewestRoasts = async (): Promise<void> => {
    if (rooms.size === 0) return;
    const newest = await sql<{ machine_id: string; roast_id: string }[]>`
      SELECT m.id AS machine_id, r.id AS roast_id FROM unnest(${[...rooms.keys()]}::uuid[]) AS m (id)
      CROSS JOIN LATERAL (SELECT id FROM roasts WHERE machine_id = m.id ORDER BY start_time DESC, id DESC LIMIT 1) r`;
    for (const { machine_id: machineId, roast_id: roastId } of newest) {
      const room = rooms.get(machineId);
      if (room !== undefined) await tellRoast(room, roastId);
    }
  };

  const listening = [
    await sql.listen(
      roastChangedChannel,
      (text) => {
        const notice = parseRoastNotice(text);
        if (notice === undefined) return;
        const room = rooms.get(notice.machine_id);
        if (room === undefined) return;
        if (notice.deleted) endWithRoast(room, notice.roast_id);
        else guard('live: a changed roast could not be told', tellRoast(room, notice.roast_id));
      },
      () => guard('live: what changed meanwhile could not be told', tellNewestRoasts()),
    ),
    await sql.listen(machineStatusChannel, (machineId) => {
      if (rooms.has(machineId)) guard('live: looking at machines failed', look());
    }),
  ];
  const stopConnect = mqtt.onConnect(() => {
    for (const room of rooms.values()) later(catchUpMs, () => catchUp(room));
  });
  const beat = setInterval(() => {
    for (const room of rooms.values()) for (const watcher of room.watchers) watcher.stream.heartbeat();
  }, heartbeatMs);
  const looking = setInterval(() => guard('live: looking at machines failed', look()), lookMs);

  const roomOf = (machine: WatchedMachine): Room => {
    const known = rooms.get(machine.id);
    if (known !== undefined) return known;
    const room = createRoom(machine, mqtt, log);
    rooms.set(machine.id, room);
    told.set(room, stateOf(machine));
    later(catchUpMs, () => catchUp(room));
    return room;
  };

  const greet = async (room: Room, watcher: Watcher): Promise<void> => {
    const [machines, backlog, favourites] = await Promise.all([
      readConnections(sql, [room.machine.id]),
      readBacklog(sql, room.machine.id),
      sql<{ roast_id: string }[]>`
        SELECT f.roast_id FROM roast_favorites f JOIN roasts r ON r.id = f.roast_id
        WHERE f.user_id = ${watcher.userId} AND r.machine_id = ${room.machine.id} AND r.status = 'in_progress'`,
    ]);
    const { connection, last_seen_at, status } = machines.get(room.machine.id) ?? room.machine;
    room.setCharge(backlog.chargeMono);
    const roast = backlog.roast && {
      ...backlog.roast,
      is_favorite: favourites.some((row) => row.roast_id === backlog.roast?.id),
    };
    watcher.stream.send(
      sseEvent({
        type: 'hello',
        machine_id: room.machine.id,
        server_time: new Date().toISOString(),
        connection,
        last_seen_at,
        status,
      }),
    );
    const bytes = sseEvent({
      type: 'backlog',
      samples: backlog.samples,
      roast,
      charge_mono: backlog.chargeMono,
    });
    watcher.stream.send(bytes, bytes.byteLength);
    const held = watcher.held ?? [];
    watcher.held = undefined;
    for (const one of held) watcher.stream.send(one);
  };

  return {
    /** Begins to watch; the stream ends when `signal` aborts, when the reader leaves, or when the machine is archived. */
    watch(machine: WatchedMachine, userId: string, signal: AbortSignal, onEnd: () => void): ReadableStream<Uint8Array> {
      const room = roomOf(machine);
      const stream = createSseStream(() => {
        signal.removeEventListener('abort', stream.close);
        room.remove(watcher);
        if (room.watchers.size === 0 && rooms.get(machine.id) === room) closeRoom(room);
        onEnd();
      });
      const watcher: Watcher = { userId, stream, held: [] };
      room.add(watcher);
      if (signal.aborted) stream.close();
      else signal.addEventListener('abort', stream.close);
      greet(room, watcher).catch((error: unknown) => {
        // Without a backlog the page would show a hole: let it come again.
        log.warn(loggable(error), 'live: the backlog could not be read');
        stream.close();
      });
      return stream.body;
    },
    get watcherCount(): number {
      return [...rooms.values()].reduce((sum, room) => sum + room.watchers.size, 0);
    },
    async close(): Promise<void> {
      clearInterval(beat);
      clearInterval(looking);
      for (const timer of timers) clearTimeout(timer);
      stopConnect();
      for (const room of rooms.values()) closeRoom(room);
      await Promise.all(listening.map((listener) => listener.unlisten()));
    },
  };
};
export type LiveHub = Awaited<ReturnType<typeof createLiveHub>>;
