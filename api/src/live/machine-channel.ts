import { exchangedChannel } from '@roastery/contract/channels';
import type { LiveSamples, MachineEvent } from '@roastery/contract/live';
import { liveReadingShape, topicOf, type SampleBatch } from '@roastery/contract/mqtt';
import type { Logger } from '@roastery/runtime/logger';
import type { MqttChannel } from '../broker/channel.ts';
import { jsonHandler } from '../broker/json-handler.ts';
import type { WatchedMachine } from '../identity/machines.ts';
import { sseFrame, type SseStream } from '../http/sse-stream.ts';
import { beginsWith, type ShownStream, withBatch, withSample, withStream } from './shown-stream.ts';
import { wallFrame, type KnownRoast } from './wall-frames.ts';
import { sharedDecoder } from '../ingest/shared-decoder.ts';

export interface Watcher {
  /** Null for a screen of the wall that has no account. */
  readonly userId: string | null;
  /** `wall`: only the wall's events, with the machine's id, since one stream carries many machines. */
  readonly view: 'machine' | 'wall';
  readonly stream: SseStream;
  /** Events that arrive while the backlog is being read; undefined after the backlog was sent. */
  pending: Uint8Array[] | undefined;
}

const maxLiveBytes = 16 * 1024;
const samplesOf = (batch: SampleBatch, nameOf: (name: string) => string): LiveSamples => ({
  epoch: batch.epoch,
  seq: batch.dt.map((_, index) => batch.seq + index),
  mono: batch.dt.map((dt) => batch.mono + dt),
  channels: Object.fromEntries(batch.ch.map((name, index) => [nameOf(name), batch.s[index] ?? []])),
});

export const eventFrame = (machineId: string, event: MachineEvent): Uint8Array =>
  sseFrame(event.type, { machine_id: machineId, ...event });

const asSent = (name: string): string => name;

/** The live events of one machine for all its watchers. Its topics are subscribed to as long as it has watchers. */
export const createMachineChannel = (machine: WatchedMachine, mqtt: MqttChannel, log: Logger) => {
  const watchers = new Set<Watcher>();
  let shown = beginsWith(machine.status?.epoch ?? null);
  /** A reading does not name its map: that of the newest batch, or of the board's status, is assumed. */
  const naming = { exchanged: machine.exchanged, map: machine.status?.map };
  /** The meaning of the names that are sent by a map. */
  const nameBy = (map: { id: string; rev: number } | undefined): ((name: string) => string) =>
    map !== undefined && naming.exchanged.includes(`${map.id}@${map.rev}`) ? exchangedChannel : asSent;
  let known: KnownRoast = { chargeMono: null, endedMono: null };

  const deliver = (watcher: Watcher, bytes: Uint8Array): void => {
    if (watcher.pending === undefined) watcher.stream.send(bytes);
    else watcher.pending.push(bytes);
  };
  /** Each form is created once, and only if it has a watcher. */
  const broadcast = (event: MachineEvent): void => {
    let [full, reduced]: [Uint8Array | undefined, Uint8Array | null | undefined] = [undefined, undefined];
    for (const watcher of watchers) {
      if (watcher.view === 'machine') deliver(watcher, (full ??= eventFrame(machine.id, event)));
      else {
        if (reduced === undefined) reduced = wallFrame(machine.id, event, known);
        if (reduced !== null) deliver(watcher, reduced);
      }
    }
  };

  const onReading = jsonHandler(log, { shape: liveReadingShape, maxBytes: maxLiveBytes }, (sent) => {
    shown = withSample(withStream(shown, sent.epoch), { seq: sent.seq - 1, boot: sent.boot, mono: sent.mono });
    const nameOf = nameBy(naming.map);
    const values = Object.fromEntries(Object.entries(sent.values).map(([name, value]) => [nameOf(name), value]));
    broadcast({ type: 'reading', reading: { ...sent, values }, received_at: new Date().toISOString() });
  });
  const stopLive = mqtt.subscribe(topicOf(machine.serialNumber, 'live'), 0, onReading);

  const stopJournal = mqtt.subscribe(topicOf(machine.serialNumber, 'journal'), 0, (_topic, payload) => {
    const decoded = sharedDecoder.forWatchers(payload);
    // Journal events reach watchers as changed roasts after their commit. Ingest logs unreadable batches.
    if (!decoded.ok || decoded.batch.k !== 'samples') return;
    const { batch } = decoded;
    const { stream, isShown } = withBatch(shown, batch, known.chargeMono);
    shown = stream;
    if (!isShown) return;
    naming.map = batch.map;
    broadcast({ type: 'samples', samples: samplesOf(batch, nameBy(batch.map)) });
  });

  const readable: { readonly watchers: ReadonlySet<Watcher> } = { watchers };
  return {
    machine,
    ...readable,
    get newest(): ShownStream {
      return shown;
    },
    broadcast,
    /** One event in two forms: for watchers with the roast among their favourites, and for the others. */
    broadcastRoast(event: Extract<MachineEvent, { type: 'roast' }>, favouredBy: ReadonlySet<string>): void {
      const { status, duration_seconds: seconds } = event.roast;
      const { charge_mono: charge } = event;
      known =
        status === 'in_progress'
          ? { chargeMono: charge, endedMono: null }
          : { chargeMono: null, endedMono: charge && charge + (seconds ?? 0) * 1000 };
      const plain = eventFrame(machine.id, event);
      const starred = eventFrame(machine.id, { ...event, roast: { ...event.roast, is_favorite: true } });
      const reduced = wallFrame(machine.id, event, known);
      for (const watcher of watchers) {
        if (watcher.view === 'wall') {
          if (reduced !== null) deliver(watcher, reduced);
        } else deliver(watcher, watcher.userId !== null && favouredBy.has(watcher.userId) ? starred : plain);
      }
    },
    /**
     * The stream that the board's status names: its backlog may arrive long before its first reading. Returns whether it
     * is new. An earlier one is ignored: a status takes longer than a reading.
     */
    noteStream(epoch: string): boolean {
      if (epoch === shown.epoch || shown.earlier.has(epoch)) return false;
      shown = withStream(shown, epoch);
      return true;
    },
    /** As it is now. */
    setExchanged({ exchanged, status }: Pick<WatchedMachine, 'exchanged' | 'status'>): void {
      naming.exchanged = exchanged;
      naming.map ??= status?.map;
    },
    /** From the backlog. */
    setKnown(roast: KnownRoast): void {
      known = roast;
    },
    /** What one watcher lacks. The wall has no such events. */
    sendTo(watcher: Watcher, event: MachineEvent): void {
      if (watchers.has(watcher)) deliver(watcher, eventFrame(machine.id, event));
    },
    add: (watcher: Watcher): void => void watchers.add(watcher),
    remove: (watcher: Watcher): boolean => watchers.delete(watcher),
    close(): void {
      stopLive();
      stopJournal();
      for (const watcher of watchers) watcher.stream.close();
    },
  };
};
export type MachineChannel = ReturnType<typeof createMachineChannel>;
