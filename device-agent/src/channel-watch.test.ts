import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { createLogger } from '@roastery/runtime/logger';
import type { RoastingMachine } from '@roastery/simulator/machine';
import { createModelledMachine } from '@roastery/simulator/modelled-machine';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { channelFile, openChannelWatch, readKeptExchange, type ChannelWatch } from './channel-watch.ts';
import { createBoardClock } from './clock/board-clock.ts';
import { createWallClock } from './core/wall-clock.ts';
import { openJournal } from './journal/journal.ts';
import { openPlanStore } from './plan/plan-store.ts';
import { createRecorder } from './recorder.ts';

const log = createLogger('test', 'silent');
const readEverySeconds = 1;
/** A batch of the simulated machine takes about 20 minutes with its pauses. */
const longestSeconds = 3600;
/** The registers at which the simulated machine has its probes. */
const probes = { 'i:0': 'bean_temp', 'i:1': 'exhaust_temp' } as const;
type Register = keyof typeof probes;

const mapOf = (bean: Register, exhaust: Register, rev = 1): MachineMap =>
  machineMapShape.parse({
    v: 1,
    id: 'simulated',
    rev,
    maker: 'Test',
    model: 'Drum 30',
    link: { kind: 'tcp', host: '127.0.0.1' },
    channels: { bean_temp: { at: bean }, exhaust_temp: { at: exhaust } },
  });
const rightMap = mapOf('i:0', 'i:1');
const exchangedMap = mapOf('i:1', 'i:0');

let dataDir: string;
let machine: RoastingMachine;
let elapsedMs: number;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'channels-'));
  machine = createModelledMachine({ seed: 5, chargeAfterSeconds: 120, betweenBatchesSeconds: 240 });
  elapsedMs = 0;
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const readAt = (at: string): number | null => machine.readings()[probes[at === 'i:0' ? 'i:0' : 'i:1']] ?? null;

/** A board that reads the machine by a map, in virtual time; it goes on where the previous one stopped. */
const startBoard = async (map: MachineMap) => {
  let used = map;
  let changes = 0;
  const clock = createBoardClock({ mono: () => elapsedMs, wall: () => 1_800_000_000_000 + elapsedMs });
  const journal = await openJournal({
    folder: join(dataDir, 'journal'),
    capBytes: 1e9,
    clock: createWallClock(clock.now),
    log,
    context: { boot: clock.boot, map: { id: map.id, rev: map.rev }, channels: Object.keys(map.channels) },
    state: () => recorder.state(),
  });
  const plans = await openPlanStore({ dataDir, log, changed: () => undefined });
  const watch = await openChannelWatch({ dataDir, log, map, changed: () => (changes += 1) });
  const recorder = createRecorder(journal, clock, map, plans, watch);
  journal.noteState();
  const completed = new Set<string>();
  return {
    watch,
    changes: () => changes,
    use(next: MachineMap): void {
      used = next;
      recorder.setSource(next);
      watch.setMap(next);
    },
    /** Reads until so many more roasts have ended. */
    roast(count: number): void {
      const wanted = completed.size + count;
      const from = elapsedMs;
      while (completed.size < wanted) {
        machine.advance(readEverySeconds);
        elapsedMs += readEverySeconds * 1000;
        const values = Object.values(used.channels).map(({ at }) => readAt(at));
        const { live } = recorder.record({ mono: elapsedMs, values, risen: [] });
        if (live.roast?.state === 'completed') completed.add(live.roast.id);
        if (elapsedMs - from > count * longestSeconds * 1000) throw new Error('the board found too few roasts');
      }
    },
    async stop(): Promise<void> {
      await watch.settled();
      journal.noteState();
      await journal.close();
    },
  };
};
const said = (watch: ChannelWatch): number | undefined => watch.status()?.roasts;

it('channel watch: says after two roasts that the map has exchanged the channels, and stops after the exchange', async () => {
  const board = await startBoard(exchangedMap);
  board.roast(1);
  expect(board.watch.status()).toBeNull();
  board.roast(1);
  expect(board.watch.status()).toEqual({ roasts: 2, map: { id: 'simulated', rev: 1 } });
  expect(board.changes()).toBe(1);

  board.use(mapOf('i:0', 'i:1', 2));
  expect(board.watch.status()).toBeNull();
  expect(board.changes()).toBe(2);
  board.roast(2);
  expect(board.watch.status()).toBeNull();
  await board.stop();
});

it('channel watch: is silent about a right map', async () => {
  const board = await startBoard(rightMap);
  board.roast(3);
  expect(board.watch.status()).toBeNull();
  expect(board.changes()).toBe(0);
  await board.stop();
  expect(await readKeptExchange(dataDir, rightMap)).toBeNull();
});

it('channel watch: goes on counting after a restart with the same map, and begins again with another', async () => {
  const first = await startBoard(exchangedMap);
  first.roast(1);
  await first.stop();
  const second = await startBoard(exchangedMap);
  second.roast(1);
  expect(said(second.watch)).toBe(2);
  await second.stop();
  expect(await readKeptExchange(dataDir, exchangedMap)).toBe(2);
  expect(await readKeptExchange(dataDir, rightMap)).toBeNull();
  const third = await startBoard(mapOf('i:1', 'i:0', 2));
  expect(third.watch.status()).toBeNull();
  await third.stop();
});

it('channel watch: ignores a damaged file and replaces it', async () => {
  await writeFile(channelFile(dataDir), '{"v":1,"roasts":"many"}');
  const board = await startBoard(exchangedMap);
  board.roast(2);
  expect(said(board.watch)).toBe(2);
  await board.stop();
  expect(JSON.parse(await readFile(channelFile(dataDir), 'utf8'))).toMatchObject({ roasts: 2 });
});
