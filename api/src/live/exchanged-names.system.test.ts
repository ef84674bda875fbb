import { liveEventShape, type LiveEvent } from '@roastery/contract/live';
import { allMachines, topicOf } from '@roastery/contract/mqtt';
import { createJournalBoard, type JournalBoard } from '@roastery/testing/journal-board';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigratedDatabase, registerMachine } from '../testing/ingest-fixture.ts';
import {
  connectBoard,
  startPlainBroker,
  startWholeApi,
  type PlainBroker,
  type WholeApi,
} from '../testing/whole-api.ts';

/** The events of a machine's live stream, as they arrive. */
const watch = async (api: WholeApi, machineId: string, cookie: string | undefined) => {
  const abort = new AbortController();
  const answer = await fetch(`${api.url}/api/v1/machines/${machineId}/live`, {
    headers: { cookie: cookie ?? '' },
    signal: abort.signal,
  });
  const events: LiveEvent[] = [];
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of answer.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) events.push(liveEventShape.parse(JSON.parse(data)));
      }
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error;
  });
  const ofType = <T extends LiveEvent['type']>(type: T) =>
    events.filter((event): event is Extract<LiveEvent, { type: T }> => event.type === type);
  return {
    ofType,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
};

const readingOf = (board: JournalBoard, mono: number): string =>
  JSON.stringify({
    v: 1,
    epoch: board.epoch,
    seq: board.length,
    boot: board.boot,
    t: 1_764_000_000_000,
    mono,
    values: { bean_temp: 231, exhaust_temp: 205 },
    roast: null,
    phase: 'idle',
  });

describe('live names of exchanged channels', () => {
  let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
  let broker: PlainBroker;
  let api: WholeApi;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    broker = await startPlainBroker();
    api = await startWholeApi(database.url, broker.url);
    await until('ingest to listen', () => broker.subscriptionsTo(allMachines('journal')) > 0);
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
    await database[Symbol.asyncDispose]();
  });

  it('a board that still reads by the old revision: shows the right names as soon as it is stated', async () => {
    const machine = await registerMachine(database.sql, 'OLD-REV');
    const map = { id: 'own-drum', rev: 1 };
    const board = createJournalBoard({ map, channels: ['bean_temp', 'exhaust_temp'] });
    await using wire = await connectBoard(broker.url, 'OLD-REV');
    const admin = await api.signedIn();
    await using live = await watch(api, machine.id, admin.cookie);
    await until('the room to listen', () => broker.subscriptionsTo(topicOf('OLD-REV', 'live')) > 0);

    let second = 0;
    const send = async (): Promise<void> => {
      const from = board.length;
      board.sample(second * 1000, 231, 205);
      for (const batch of board.batches(() => 1, from)) await wire.publish(batch);
      await wire.client.publishAsync(topicOf('OLD-REV', 'live'), readingOf(board, second * 1000 + 500));
      second += 1;
    };
    const bean = () => [
      live.ofType('samples').at(-1)?.samples.channels['bean_temp']?.at(-1),
      live.ofType('reading').at(-1)?.reading.values['bean_temp'],
    ];
    await until('readings as sent', async () => {
      await send();
      return bean().every((temp) => temp === 231);
    });
    await database.sql`
      INSERT INTO channel_exchanges (machine_id, map_id, map_rev, is_exchanged) VALUES (${machine.id}, ${map.id}, ${map.rev}, true)`;
    await until('readings of the right probe', async () => {
      await send();
      return bean().every((temp) => temp === 205);
    });
    expect(live.ofType('reading').at(-1)?.reading.values).toEqual({ bean_temp: 205, exhaust_temp: 231 });

    // The board has the corrected revision: its names are right as sent.
    const corrected = createJournalBoard({ ...board, map: { id: map.id, rev: 2 } });
    for (let index = 0; index < board.length; index++) corrected.sample(index * 1000, 205, 231);
    const from = corrected.length;
    corrected.sample(second * 1000, 206, 232);
    for (const batch of corrected.batches(() => 1, from)) await wire.publish(batch);
    await until('the sample of the new revision', () => bean()[0] === 206);
  });
});
