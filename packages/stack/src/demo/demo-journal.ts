import {
  ackShape,
  clientIdOf,
  entryCount,
  topicOf,
  type EventBatch,
  type JournalBatch,
  type SampleBatch,
} from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import type { SimulatedRoast } from '@roastery/simulator/simulate-roast';
import { connectAsync } from 'mqtt';

export interface PastRoast {
  readonly id: string;
  /** Wall clock of the first sample, ms since 1970. */
  readonly startMs: number;
  readonly roast: SimulatedRoast;
}

const samplesPerBatch = 300;

/**
 * The journal that a board would have sent for these roasts, oldest first: samples, then events. All are in one boot,
 * so monotonic time is wall time since then.
 */
export const journalOf = (
  epoch: string,
  boot: string,
  bootMs: number,
  roasts: readonly PastRoast[],
): JournalBatch[] => {
  const batches: JournalBatch[] = [];
  let seq = 0;
  for (const { id, startMs, roast } of roasts) {
    const firstSeq = seq;
    const monoOf = (seconds: number): number => Math.round(startMs - bootMs + seconds * 1000);
    const head = (seconds: number) => ({
      v: 1 as const,
      epoch,
      seq,
      boot,
      synced: true,
      t: bootMs + monoOf(seconds),
      mono: monoOf(seconds),
    });
    for (let from = 0; from < roast.timesSeconds.length; from += samplesPerBatch) {
      const times = roast.timesSeconds.slice(from, from + samplesPerBatch);
      const first = times[0] ?? 0;
      const batch: SampleBatch = {
        ...head(first),
        k: 'samples',
        map: { id: 'demo', rev: 1 },
        dt: times.map((time) => monoOf(time) - monoOf(first)),
        ch: [...roast.channels],
        s: roast.channels.map((channel) => roast.columns[channel].slice(from, from + samplesPerBatch)),
      };
      batches.push(batch);
      seq += times.length;
    }
    batches.push(eventsOf(head(roast.timesSeconds.at(-1) ?? 0), id, firstSeq, roast, monoOf));
    seq += roast.marks.length + 2;
  }
  return batches;
};

const eventsOf = (
  head: Omit<EventBatch, 'k' | 'ev'>,
  id: string,
  firstSeq: number,
  roast: SimulatedRoast,
  monoOf: (seconds: number) => number,
): EventBatch => ({
  ...head,
  k: 'events',
  ev: [
    { dt: 0, e: { type: 'roast', roast_id: id, state: 'in_progress' } },
    ...roast.marks.map((mark) => ({
      dt: 0,
      e: {
        type: 'mark' as const,
        roast_id: id,
        kind: mark.kind,
        at_seq: firstSeq + mark.index,
        at_mono: monoOf(mark.timeSeconds),
        temp: mark.tempC,
        origin: mark.kind === 'turning_point' || mark.kind === 'dry_end' ? ('detector' as const) : ('machine' as const),
        confidence: mark.kind === 'dry_end' ? 0.6 : 0.98,
        provisional: false,
      },
    })),
    { dt: 0, e: { type: 'roast', roast_id: id, state: 'completed' } },
  ],
});

/** Ships a journal as its board would, and resolves when the api has committed all of it. */
export const shipJournal = async (
  mqttUrl: string,
  serial: string,
  token: string,
  batches: readonly JournalBatch[],
): Promise<void> => {
  const last = batches.at(-1);
  if (last === undefined) return;
  const lastSeq = last.seq + entryCount(last) - 1;
  const client = await connectAsync(mqttUrl, {
    clientId: clientIdOf(serial),
    username: serial,
    password: token,
    clean: true,
    protocolVersion: 4,
    reconnectPeriod: 0,
  });
  try {
    const committed = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the roasts of ${serial} were not acknowledged within 30 s`)),
        30_000,
      );
      client.on('message', (_, payload) => {
        const ack = parseJson(ackShape, payload.toString()).data;
        if (!ack?.ranges.some(([from, to]) => from <= batches[0]!.seq && to >= lastSeq)) return;
        clearTimeout(timer);
        resolve();
      });
    });
    await client.subscribeAsync(topicOf(serial, 'ack'), { qos: 1 });
    for (const batch of batches)
      await client.publishAsync(topicOf(serial, 'journal'), JSON.stringify(batch), { qos: 1 });
    await committed;
  } finally {
    await client.endAsync();
  }
};
