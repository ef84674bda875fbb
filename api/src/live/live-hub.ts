import type { MachineEvent } from '@roastery/contract/live';
import type { Cancel, Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import { serial, type Serial } from '@roastery/runtime/turns';
import type { MqttChannel } from '../broker/link.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { readConnections, type WatchedMachine } from '../identity/machines.ts';
import { alarmsChangedChannel, parseAlarmNotice, readRunningAlarms } from '../domains/alarms/stored-alarms.ts';
import { parseRoastNotice, roastChangedChannel } from '../domains/roasts/life/announce-roast.ts';
import { readRoast } from '../domains/roasts/roast-row.ts';
import type { SessionStream } from '../http/session-streams.ts';
import { createSseStream } from '../http/sse-stream.ts';
import { machineStatusChannel } from '../domains/devices/follow-statuses.ts';
import { readBacklog, readSince, type StreamPlace } from './backlog.ts';
import { wallBacklogFrames, wallFrame } from './wall-frames.ts';
import { createMachineChannel, eventFrame, type MachineChannel, type Watcher } from './machine-channel.ts';

/** Proxies and browsers close a silent connection, so a comment is sent this often. */
const heartbeatMs = 10_000;
/** Streams of an archived machine end, and a silent machine goes offline, within this time. */
const pollMs = 1000;
/**
 * By then a new subscription is active, and samples that arrived before it are usually committed. With a slow database they
 * are read again, until all entries up to the newest of then are stored.
 */
const backfillsAfterMs = [1500, 6000, 12_000, 24_000, 48_000, 96_000, 192_000] as const;
/** The first of these is too early for a subscription that takes long. */
const leastBackfills = 2;
/** A backfill begins earlier by as many samples, since live readings and journal batches overtake each other. */
const overlapSeqs = 100;

export interface LiveHubParts {
  readonly sql: Database;
  /**
   * A connection of its own: for overlapping filters of one client, brokers deliver a message once or once for each.
   */
  readonly mqtt: MqttChannel;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Sends the backlog, then the events that arrived in the meantime. */
const continueAfter = (watcher: Watcher, backlog: readonly Uint8Array[]): void => {
  for (const bytes of backlog) watcher.stream.send(bytes, bytes.byteLength);
  const pending = watcher.pending ?? [];
  watcher.pending = undefined;
  for (const one of pending) watcher.stream.send(one);
};

const stateOf = ({ connection, status }: WatchedMachine): string => JSON.stringify([connection, status]);

const sendConnection = (channel: MachineChannel, now: WatchedMachine): void => {
  const { connection, last_seen_at, status } = now;
  channel.broadcast({ type: 'status', connection, last_seen_at, status });
};

type SendNewest = (channel: MachineChannel, roastId: string) => Promise<void>;

/** Live streams of machines for any number of watchers; each machine's topics are subscribed to once. */
export class LiveHub {
  readonly #sql: Database;
  readonly #mqtt: MqttChannel;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #channels = new Map<string, MachineChannel>();
  readonly #reads = new WeakMap<MachineChannel, Serial>();
  /** The state that each channel's watchers have, so that only changes are sent. */
  readonly #lastSent = new WeakMap<MachineChannel, string>();
  readonly #timers = new Set<Cancel>();
  #listening: readonly { unlisten(): Promise<void> }[] = [];
  /** One statement at a time: while the database hangs, each would occupy a connection. */
  #isPolling = false;
  #isPollDue = false;
  #stop: () => void = () => undefined;

  private constructor({ sql, mqtt, log, clock }: LiveHubParts) {
    this.#sql = sql;
    this.#mqtt = mqtt;
    this.#log = log;
    this.#clock = clock;
  }

  static async open(parts: LiveHubParts): Promise<LiveHub> {
    const hub = new LiveHub(parts);
    await hub.#listen();
    hub.#start();
    return hub;
  }

  #start(): void {
    const stopConnect = this.#mqtt.onConnect(() => {
      // From here on events arrive again, and would move the place.
      for (const channel of this.#channels.values()) this.#backfill(channel, { ...channel.newest }, channel.broadcast);
    });
    const repeated = [
      this.#clock.every(heartbeatMs, () => this.#beat()),
      this.#clock.every(pollMs, () => this.#pollConnections()),
    ];
    this.#stop = () => {
      stopConnect();
      for (const cancel of repeated) cancel();
    };
  }

  /** Follows changes of roasts, alarms and connections. */
  async #listen(): Promise<void> {
    const sendRoast: SendNewest = (channel, roastId) => this.#sendRoast(channel, roastId);
    const sendAlarms: SendNewest = (channel, roastId) => this.#sendAlarms(channel, roastId);
    this.#listening = [
      await this.#sql.listen(
        roastChangedChannel,
        (text) => this.#onRoastChanged(text),
        () => this.#guard('live roast event failed', this.#sendNewest(sendRoast)),
      ),
      await this.#sql.listen(
        alarmsChangedChannel,
        (text) => {
          const notice = parseAlarmNotice(text);
          const channel = notice && this.#channels.get(notice.machine_id);
          if (channel !== undefined) this.#guard('live alarms failed', sendAlarms(channel, notice?.roast_id ?? ''));
        },
        () => this.#guard('live alarms failed', this.#sendNewest(sendAlarms)),
      ),
      await this.#sql.listen(machineStatusChannel, (machineId) => {
        if (this.#channels.has(machineId)) this.#pollConnections();
      }),
    ];
  }

  #onRoastChanged(text: string): void {
    const notice = parseRoastNotice(text);
    const channel = notice && this.#channels.get(notice.machine_id);
    if (channel === undefined || notice === undefined) return;
    if (notice.deleted) this.#closeWithDeletedRoast(channel, notice.roast_id);
    else this.#guard('live roast event failed', this.#sendRoast(channel, notice.roast_id));
  }

  #guard(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log.warn(loggable(error), what));
  }

  #closeChannel(channel: MachineChannel): void {
    this.#channels.delete(channel.machine.id);
    channel.close();
  }

  #later(ms: number, work: () => Promise<unknown>): void {
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(cancel);
      this.#guard('live backfill failed', work());
    });
    this.#timers.add(cancel);
  }

  /** Sends the samples that are stored after a place and did not come as events. */
  #backfill(channel: MachineChannel, after: StreamPlace, send: (event: MachineEvent) => void): void {
    let { epoch, seq } = after;
    let newestSeq = -1;
    const readAfter = async (): Promise<boolean> => {
      const place = { epoch, seq: seq - overlapSeqs };
      const { samples, isComplete } = await readSince(this.#sql, channel.machine.id, place, newestSeq);
      if (samples !== undefined && (channel.newest.epoch ?? samples.epoch) === samples.epoch) {
        // What is stored later may have lower numbers than these.
        if (isComplete) ({ epoch, seq } = { epoch: samples.epoch, seq: samples.seq.at(-1) ?? seq });
        send({ type: 'samples', samples });
      }
      return isComplete;
    };
    const next = (index: number): void => {
      const [ms, before = 0] = [backfillsAfterMs[index], backfillsAfterMs[index - 1]];
      if (ms === undefined) return;
      this.#later(ms - before, async () => {
        if (this.#channels.get(channel.machine.id) !== channel) return;
        if (index < leastBackfills) newestSeq = channel.newest.seq;
        let isComplete = false;
        try {
          isComplete = await readAfter();
        } finally {
          if (index + 1 < leastBackfills || !isComplete) next(index + 1);
        }
      });
    };
    next(0);
  }

  /** One read of a channel at a time: an answer that overtakes an earlier one would be followed by the older state. */
  #inTurn(channel: MachineChannel, read: () => Promise<void>): Promise<void> {
    const inOrder = this.#reads.get(channel) ?? serial();
    this.#reads.set(channel, inOrder);
    return inOrder(read);
  }

  async #readAndSendRoast(channel: MachineChannel, roastId: string): Promise<void> {
    const [read, favourites] = await Promise.all([
      readRoast(this.#sql, roastId, null),
      this.#sql<{ user_id: string }[]>`SELECT user_id FROM roast_favorites WHERE roast_id = ${roastId}`,
    ]);
    if (read === undefined) return;
    const event = { type: 'roast' as const, roast: read.roast, charge_mono: read.chargeMonoMs };
    channel.broadcastRoast(event, new Set(favourites.map((row) => row.user_id)));
  }

  #sendRoast(channel: MachineChannel, roastId: string): Promise<void> {
    return this.#inTurn(channel, () => this.#readAndSendRoast(channel, roastId));
  }

  #sendAlarms(channel: MachineChannel, roastId: string): Promise<void> {
    return this.#inTurn(channel, async () => {
      const alarms = await readRunningAlarms(this.#sql, roastId);
      channel.broadcast({ type: 'alarms', roast_id: roastId, alarms });
    });
  }

  /** Every page of the machine reconnects and gets a backlog without the roast. */
  #closeWithDeletedRoast(channel: MachineChannel, roastId: string): void {
    const bytes = eventFrame(channel.machine.id, { type: 'roast_deleted', roast_id: roastId });
    // Also to a watcher whose backlog is still being read.
    for (const watcher of channel.watchers) if (watcher.view === 'machine') watcher.stream.send(bytes);
    this.#closeChannel(channel);
  }

  async #compareConnections(): Promise<void> {
    if (this.#channels.size === 0) return;
    // A channel that opens while the query runs is not in its result, and not archived.
    const asked = [...this.#channels.values()];
    const machines = await readConnections(
      this.#sql,
      asked.map(({ machine }) => machine.id),
    );
    for (const channel of asked) {
      if (this.#channels.get(channel.machine.id) !== channel) continue;
      const now = machines.get(channel.machine.id);
      if (now === undefined) {
        this.#closeChannel(channel);
        continue;
      }
      channel.setExchanged(now);
      const state = stateOf(now);
      if (this.#lastSent.get(channel) !== state) sendConnection(channel, now);
      this.#lastSent.set(channel, state);
      const epoch = now.status?.epoch;
      // Batches of it that arrived before its status were not sent.
      if (epoch !== undefined && channel.noteStream(epoch))
        this.#backfill(channel, { epoch, seq: -1 }, channel.broadcast);
    }
  }

  #pollConnections(): void {
    this.#isPollDue = true;
    if (!this.#isPolling) void this.#pollWhileDue();
  }

  async #pollWhileDue(): Promise<void> {
    this.#isPolling = true;
    while (this.#isPollDue) {
      this.#isPollDue = false;
      await this.#compareConnections().catch((error: unknown) =>
        this.#log.warn(loggable(error), 'live connection poll failed'),
      );
    }
    this.#isPolling = false;
  }

  /**
   * Changes of roasts and alarms are lost while the connection to the database is; so those of the newest roasts are sent
   * again.
   */
  async #sendNewest(send: (channel: MachineChannel, roastId: string) => Promise<void>): Promise<void> {
    if (this.#channels.size === 0) return;
    const newest = await this.#sql<{ machine_id: string; roast_id: string }[]>`
      SELECT m.id AS machine_id, r.id AS roast_id FROM unnest(${[...this.#channels.keys()]}::uuid[]) AS m (id)
      CROSS JOIN LATERAL (SELECT id FROM roasts WHERE machine_id = m.id ORDER BY start_time DESC, id DESC LIMIT 1) r`;
    for (const { machine_id: machineId, roast_id: roastId } of newest) {
      const channel = this.#channels.get(machineId);
      if (channel !== undefined) await send(channel, roastId);
    }
  }

  #beat(): void {
    const streams = new Set(
      [...this.#channels.values()].flatMap(({ watchers }) => [...watchers].map(({ stream }) => stream)),
    );
    for (const stream of streams) stream.heartbeat();
  }

  #channelOf(machine: WatchedMachine): MachineChannel {
    const known = this.#channels.get(machine.id);
    if (known !== undefined) return known;
    const channel = createMachineChannel(machine, this.#mqtt, this.#log);
    this.#channels.set(machine.id, channel);
    this.#lastSent.set(channel, stateOf(machine));
    return channel;
  }

  /** When the newest roast of a machine ended, ms since the boot of its charge. */
  async #readEndedMono(machineId: string): Promise<number | null> {
    const [row] = await this.#sql<{ ended: number | null }[]>`
      SELECT charge_mono_ms + coalesce(duration_seconds, 0) * 1000 AS ended FROM roasts
      WHERE machine_id = ${machineId} ORDER BY start_time DESC, id DESC LIMIT 1`;
    return row?.ended ?? null;
  }

  async #sendBacklog(channel: MachineChannel, watcher: Watcher): Promise<void> {
    const { id } = channel.machine;
    const [machines, backlog, favourites] = await Promise.all([
      readConnections(this.#sql, [id]),
      readBacklog(this.#sql, id),
      this.#sql<{ roast_id: string }[]>`
        SELECT f.roast_id FROM roast_favorites f JOIN roasts r ON r.id = f.roast_id
        WHERE f.user_id = ${watcher.userId} AND r.machine_id = ${id} AND r.status = 'in_progress'`,
    ]);
    const { connection, last_seen_at, status } = machines.get(id) ?? channel.machine;
    const known = {
      chargeMono: backlog.chargeMono,
      endedMono: backlog.roast === null ? await this.#readEndedMono(id) : null,
    };
    channel.setKnown(known);
    const running = backlog.roast?.id;
    const alarms: MachineEvent[] =
      running === undefined
        ? []
        : [{ type: 'alarms', roast_id: running, alarms: await readRunningAlarms(this.#sql, running) }];
    if (watcher.view === 'wall') {
      const shown = alarms.flatMap((event) => wallFrame(id, event, known) ?? []);
      continueAfter(watcher, [
        ...wallBacklogFrames(id, { connection, last_seen_at, status }, backlog, this.#clock.now()),
        ...shown,
      ]);
      return;
    }
    const roast = backlog.roast && {
      ...backlog.roast,
      is_favorite: favourites.some((row) => row.roast_id === backlog.roast?.id),
    };
    const server_time = new Date(this.#clock.now()).toISOString();
    continueAfter(watcher, [
      eventFrame(id, { type: 'hello', server_time, connection, last_seen_at, status }),
      eventFrame(id, { type: 'backlog', samples: backlog.samples, roast, charge_mono: backlog.chargeMono }),
      ...alarms.map((event) => eventFrame(id, event)),
    ]);
    this.#backfill(channel, { epoch: backlog.epoch, seq: backlog.lastSeq }, (event) => channel.sendTo(watcher, event));
  }

  /** One stream on the channels of these machines. */
  #open(
    machines: readonly WatchedMachine[],
    who: Pick<Watcher, 'userId' | 'view'>,
    signal: AbortSignal,
    session: SessionStream,
    first: readonly Uint8Array[] = [],
  ): ReadableStream<Uint8Array> {
    const watched: { channel: MachineChannel; watcher: Watcher }[] = [];
    const stream = createSseStream(session.unread, () => {
      for (const { channel, watcher } of watched) {
        channel.remove(watcher);
        const { id } = channel.machine;
        if (channel.watchers.size === 0 && this.#channels.get(id) === channel) this.#closeChannel(channel);
      }
      session.done();
    });
    for (const bytes of first) stream.send(bytes);
    for (const machine of machines) {
      const channel = this.#channelOf(machine);
      const watcher: Watcher = { ...who, stream, pending: [] };
      channel.add(watcher);
      watched.push({ channel, watcher });
    }
    stream.closeOn(AbortSignal.any([signal, session.signal]));
    const sendAll = async (): Promise<void> => {
      // One after the other: 24 concurrent backlogs would occupy every database connection.
      for (const { channel, watcher } of watched) await this.#sendBacklog(channel, watcher);
    };
    sendAll().catch((error: unknown) => {
      // Without a backlog the curve would have a gap; the page reconnects.
      this.#log.warn(loggable(error), 'live backlog failed');
      stream.close();
    });
    return stream.body;
  }

  /**
   * Opens a stream; it ends with its session, when `signal` aborts, when the reader disconnects, when one of its machines is archived,
   * or when the running roast of one is deleted. `gone`: requested machines that the caller may not see.
   */
  watch(
    machines: readonly WatchedMachine[],
    gone: readonly string[],
    userId: string,
    signal: AbortSignal,
    session: SessionStream,
  ): ReadableStream<Uint8Array> {
    const first = gone.map((id) => eventFrame(id, { type: 'gone' }));
    return this.#open(machines, { userId, view: 'machine' }, signal, session, first);
  }

  /**
   * The same for all machines of a wall, reduced to the wall's events. It ends when one of them is archived: the page
   * requests it again.
   */
  watchWall(
    machines: readonly WatchedMachine[],
    signal: AbortSignal,
    session: SessionStream,
  ): ReadableStream<Uint8Array> {
    return this.#open(machines, { userId: null, view: 'wall' }, signal, session);
  }

  get watcherCount(): number {
    return [...this.#channels.values()].reduce((sum, channel) => sum + channel.watchers.size, 0);
  }

  async close(): Promise<void> {
    this.#stop();
    for (const cancel of this.#timers) cancel();
    for (const channel of this.#channels.values()) this.#closeChannel(channel);
    await Promise.all(this.#listening.map((listener) => listener.unlisten()));
  }
}
