import { randomUUID } from 'node:crypto';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { ackShape, clientIdOf, topicOf, type LiveReading, type MarkEvent } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import type { Stack } from '@roastery/stack/stack';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { connectAsync } from 'mqtt';

const channels = ['bean_temp', 'exhaust_temp'] as const;

/** Bean and exhaust temperature at a time since the charge, s. */
export type Curve = (seconds: number) => readonly [bean: number, exhaust: number];

/** Falls to the turning point at 1:30, then rises. Neither stays the same, as a frozen probe would. */
export const usualCurve: Curve = (seconds) => [
  seconds < 90 ? 205 - seconds : 115 + (seconds - 90) / 8,
  220 - seconds / 20,
];

/**
 * A board in the test's own process that sends a roast in real time, each reading live and in its journal. Its roast
 * was charged `chargedAgo` seconds ago; the recording since then is stored first: a page that is opened earlier sees
 * only what is sent from then on.
 */
export const startLiveBoard = async (
  stack: Stack,
  machine: RegisteredMachine,
  curve: Curve,
  chargedAgo: number,
  everyMs = 1000,
) => {
  const { serial_number: serial, auth_token: token } = machine;
  const wallOffsetMs = Date.now() - chargedAgo * 1000 - 60_000;
  const chargeMono = 60_000;
  const board = createJournalBoard({ channels: [...channels], wallOffsetMs });
  const client = await connectAsync(stack.mqttUrl, { clientId: clientIdOf(serial), username: serial, password: token });
  const roastId = randomUUID();
  let storedThrough = -1;
  client.on('message', (_topic, payload) => {
    const { data: ack } = parseJson(ackShape, payload.toString());
    const [from, to] = (ack?.epoch === board.epoch && ack.ranges[0]) || [];
    if (from === 0 && to !== undefined) storedThrough = to;
  });
  await client.subscribeAsync(topicOf(serial, 'ack'), { qos: 1 });
  let sent = 0;
  let isSilent = false;
  const now = () => Date.now() - wallOffsetMs;
  const session = randomUUID();
  const say = (kind: 'live' | 'status', message: object) =>
    client.publishAsync(topicOf(serial, kind), JSON.stringify(message), { qos: 0, retain: kind === 'status' });
  await say('status', { v: 1, online: true, session, t: Date.now() });

  const sample = (mono: number) => board.sample(mono, ...curve((mono - chargeMono) / 1000));
  const mark = (kind: MarkEvent['kind'], atMono: number): void => {
    const entries = board.entries();
    const nearest = entries.findLastIndex((entry) => entry.kind === 'sample' && entry.mono <= atMono);
    board.event(now(), {
      type: 'mark',
      roast_id: roastId,
      kind,
      at_seq: nearest,
      at_mono: atMono,
      temp: curve((atMono - chargeMono) / 1000)[0],
      origin: 'machine',
      confidence: 1,
      provisional: false,
    });
  };
  const flush = async (): Promise<void> => {
    const batches = board.batches(() => 200, sent);
    sent = board.length;
    for (const batch of batches) {
      await client.publishAsync(topicOf(serial, 'journal'), JSON.stringify(batch), { qos: 1 });
    }
  };

  sample(chargeMono);
  board.event(chargeMono, { type: 'roast', roast_id: roastId, state: 'in_progress' });
  mark('charge', chargeMono);
  for (let mono = chargeMono + everyMs; mono < now(); mono += everyMs) sample(mono);
  const recorded = board.length;
  await flush();

  const tick = async (): Promise<void> => {
    if (isSilent) return;
    const seq = sample(now());
    const [bean_temp, exhaust_temp] = curve((now() - chargeMono) / 1000);
    const reading: LiveReading = {
      v: 1,
      epoch: board.epoch,
      seq,
      boot: board.boot,
      t: Date.now(),
      mono: now(),
      values: { bean_temp, exhaust_temp },
      roast: { id: roastId, charge_mono: chargeMono, state: 'in_progress' },
      phase: 'roasting',
    };
    await say('live', reading);
    await flush();
  };
  // A message that the api missed is not stored before it is resent.
  const again = setInterval(() => (sent = storedThrough < 0 ? 0 : sent), 5000);
  const failures: unknown[] = [];
  const timer = setInterval(() => void tick().catch((error: unknown) => failures.push(error)), everyMs);
  const live = {
    roastId,
    /** Errors of sending so far; a test expects none. */
    failures,
    /** Seconds since the charge. */
    elapsed: () => (now() - chargeMono) / 1000,
    /** Sets a mark this many seconds after the charge. */
    mark: (kind: MarkEvent['kind'], seconds: number) => mark(kind, chargeMono + seconds * 1000),
    /** Stops or resumes sending; readings in between are lost. */
    silence: (silent: boolean): void => void (isSilent = silent),
    async end(): Promise<void> {
      isSilent = true;
      mark('drop', now());
      board.event(now(), { type: 'roast', roast_id: roastId, state: 'completed' });
      await flush();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer);
      clearInterval(again);
      await client.endAsync(true);
    },
  };
  try {
    await until('the recording to be stored', () => storedThrough >= recorded - 1);
  } catch (error) {
    await live[Symbol.asyncDispose]();
    throw error;
  }
  return live;
};
