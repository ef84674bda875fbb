import type { LiveEvent, LiveSamples } from '@roastery/contract/live';
import { liveReadingShape, topicOf, type SampleBatch } from '@roastery/contract/mqtt';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { createLogGate, type Logger } from '@roastery/runtime/logger';
import type { MqttLink } from '../broker/link.ts';
import { decodeBatch } from '../ingest/decode-batch.ts';
import type { WatchedMachine } from './connection.ts';
import { sseEvent, type SseStream } from './sse-stream.ts';

export interface Watcher {
  readonly userId: string;
  readonly stream: SseStream;
  /** What passes by while the backlog is being read; undefined once it was sent. */
  held: Uint8Array[] | undefined;
}

const maxLiveBytes = 16 * 1024;
/** A draining journal older than this, against the newest reading, is not for the eye. */
const windowMs = 5 * 60_000;
const beforeChargeMs = 60_000;

const samplesOf = (batch: SampleBatch): LiveSamples => ({
  epoch: batch.epoch,
  seq: batch.dt.map((_, index) => batch.seq + index),
  mono: batch.dt.map((dt) => batch.mono + dt),
  channels: Object.fromEntries(batch.ch.map((name, index) => [name, batch.s[index] ?? []])),
});

/** A machine that somebody watches: its topics are subscribed to as long as it has watchers. */
export const createRoom = (machine: WatchedMachine, mqtt: MqttLink, log: Logger) => {
  const watchers = new Set<Watcher>();
  const mayLog = createLogGate(60_000);
  /** The newest sample that went by: from here on a lost connection is made up for. */
  const newest: { epoch: string | null; seq: number; boot: string | undefined; mono: number } = {
    epoch: null,
    seq: -1,
    boot: undefined,
    mono: 0,
  };
  let chargeMono: number | null = null;

  const deliver = (watcher: Watcher, bytes: Uint8Array): void => {
    if (watcher.held === undefined) watcher.stream.send(bytes);
    else watcher.held.push(bytes);
  };
  const broadcast = (event: LiveEvent): void => {
    if (watchers.size === 0) return;
    const bytes = sseEvent(event);
    for (const watcher of watchers) deliver(watcher, bytes);
  };

  const noteNewest = (epoch: string, seq: number, boot: string, mono: number): void => {
    if (epoch === newest.epoch && seq <= newest.seq) return;
    Object.assign(newest, { epoch, seq, boot, mono });
  };

  const stopLive = mqtt.subscribe(topicOf(machine.serialNumber, 'live'), 0, (_topic, payload) => {
    if (payload.length > maxLiveBytes) return;
    const reading = parseJson(liveReadingShape, payload.toString('utf8'));
    if (!reading.success) {
      if (mayLog('refused') !== undefined) {
        log.warn({ machine: machine.id, reason: describeRefusal(reading) }, 'live reading refused');
      }
      return;
    }
    const { data } = reading;
    noteNewest(data.epoch, data.seq - 1, data.boot, data.mono);
    broadcast({ type: 'reading', reading: data, received_at: new Date().toISOString() });
  });

  const stopJournal = mqtt.subscribe(topicOf(machine.serialNumber, 'journal'), 0, (_topic, payload) => {
    const decoded = decodeBatch(payload);
    // Events reach watchers as changed roasts, once they are committed; poison is ingest's to tell of.
    if (!decoded.ok || decoded.batch.k !== 'samples') return;
    const { batch } = decoded;
    const lastMono = batch.mono + (batch.dt.at(-1) ?? 0);
    noteNewest(batch.epoch, batch.seq + batch.dt.length - 1, batch.boot, lastMono);
    const from = chargeMono === null ? newest.mono - windowMs : chargeMono - beforeChargeMs;
    if (batch.epoch !== newest.epoch || batch.boot !== newest.boot || lastMono < from) return;
    broadcast({ type: 'samples', samples: samplesOf(batch) });
  });

  return {
    machine,
    watchers: watchers as ReadonlySet<Watcher>,
    newest: newest as Readonly<typeof newest>,
    broadcast,
    /** One event in two forms: for those who have the roast among their favourites, and for the others. */
    broadcastRoast(event: Extract<LiveEvent, { type: 'roast' }>, favouredBy: ReadonlySet<string>): void {
      chargeMono = event.roast.status === 'in_progress' ? event.charge_mono : null;
      const plain = sseEvent(event);
      const starred = sseEvent({ ...event, roast: { ...event.roast, is_favorite: true } });
      for (const watcher of watchers) deliver(watcher, favouredBy.has(watcher.userId) ? starred : plain);
    },
    /** The backlog tells which roast runs. */
    setCharge(mono: number | null): void {
      chargeMono = mono;
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
export type Room = ReturnType<typeof createRoom>;
