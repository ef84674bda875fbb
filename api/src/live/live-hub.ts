import type { MachineEvent } from '@roastery/contract/live';
import type { Clock } from '@roastery/runtime/clock';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttChannel } from '../broker/channel.ts';
import { loggable } from '../db/postgres-errors.ts';
import type { Database } from '../db/sql.ts';
import { readConnections, type WatchedMachine } from '../identity/machines.ts';
import { readRunningAlarms } from '../domains/alarms/stored-alarms.ts';
import type { SessionStream } from '../http/session-streams.ts';
import { createSseStream } from '../http/sse-stream.ts';
import { Backfills } from './backfills.ts';
import { readBacklog } from './backlog.ts';
import { ConnectionChanges } from './connection-changes.ts';
import { wallBacklogFrames, wallFrame } from './wall-frames.ts';
import { createMachineChannel, eventFrame, type MachineChannel, type Watcher } from './machine-channel.ts';
import { RoastChanges } from './roast-changes.ts';

/** Proxies and browsers close a silent connection, so a comment is sent this often. */
const heartbeatMs = 10_000;
/** Streams of an archived machine end, and a silent machine goes offline, within this time. */
const pollMs = 1000;

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

/** Live streams of machines for any number of watchers; each machine's topics are subscribed to once. */
export class LiveHub {
  readonly #sql: Database;
  readonly #mqtt: MqttChannel;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #channels = new Map<string, MachineChannel>();
  readonly #backfills: Backfills;
  readonly #roastChanges: RoastChanges;
  readonly #connectionChanges: ConnectionChanges;
  #stop: () => void = () => undefined;

  private constructor({ sql, mqtt, log, clock }: LiveHubParts) {
    this.#sql = sql;
    this.#mqtt = mqtt;
    this.#log = log;
    this.#clock = clock;
    const isOpen = (channel: MachineChannel): boolean => this.#channels.get(channel.machine.id) === channel;
    this.#backfills = new Backfills({ sql, log, clock, isOpen });
    const deleted = (channel: MachineChannel, roastId: string): void => this.#closeWithDeletedRoast(channel, roastId);
    this.#roastChanges = new RoastChanges({ sql, log, channels: this.#channels, deleted });
    this.#connectionChanges = new ConnectionChanges({
      sql,
      log,
      channels: this.#channels,
      archived: (channel) => this.#closeChannel(channel),
      streamBegun: (channel, epoch) => this.#backfills.begin(channel, { epoch, seq: -1 }, channel.broadcast),
    });
  }

  static async open(parts: LiveHubParts): Promise<LiveHub> {
    const hub = new LiveHub(parts);
    await hub.#roastChanges.listen();
    await hub.#connectionChanges.listen();
    hub.#start();
    return hub;
  }

  #start(): void {
    const stopConnect = this.#mqtt.onConnect(() => {
      // From here on events arrive again, and would move the place.
      for (const channel of this.#channels.values())
        this.#backfills.begin(channel, { ...channel.newest }, channel.broadcast);
    });
    const repeated = [
      this.#clock.every(heartbeatMs, () => this.#beat()),
      this.#clock.every(pollMs, () => this.#connectionChanges.poll()),
    ];
    this.#stop = () => {
      stopConnect();
      for (const cancel of repeated) cancel();
    };
  }

  #closeChannel(channel: MachineChannel): void {
    this.#channels.delete(channel.machine.id);
    channel.close();
  }

  /** Every page of the machine reconnects and gets a backlog without the roast. */
  #closeWithDeletedRoast(channel: MachineChannel, roastId: string): void {
    const bytes = eventFrame(channel.machine.id, { type: 'roast_deleted', roast_id: roastId });
    // Also to a watcher whose backlog is still being read.
    for (const watcher of channel.watchers) if (watcher.view === 'machine') watcher.stream.send(bytes);
    this.#closeChannel(channel);
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
    this.#connectionChanges.begin(channel, machine);
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
    this.#backfills.begin(channel, { epoch: backlog.epoch, seq: backlog.lastSeq }, (event) =>
      channel.sendTo(watcher, event),
    );
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
    this.#backfills.close();
    for (const channel of this.#channels.values()) this.#closeChannel(channel);
    await Promise.all([this.#roastChanges.close(), this.#connectionChanges.close()]);
  }
}
