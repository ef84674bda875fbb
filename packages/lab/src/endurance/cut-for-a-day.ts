import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allMachines, liveReadingShape, serviceUserName } from '@roastery/contract/mqtt';
import { createWallClock } from '@roastery/device-agent/core/wall-clock';
import { openJournal } from '@roastery/device-agent/journal/journal';
import { createLogger } from '@roastery/runtime/logger';
import { demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { startStack } from '@roastery/stack/stack';
import { openSecrets } from '@roastery/stack/stack-secrets';
import { connectAsync } from 'mqtt';
import postgres from 'postgres';
import type { Measurement } from '@roastery/testing/bench';
import { openCuttableLine } from '@roastery/testing/cuttable-line';
import { residentMegabytes } from '@roastery/testing/process-cost';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';

const serial = 'CUT-1';
const daySeconds = 86_400;
const hz = 4;
/** Flushed this often, like a journal that is written over a day. */
const samplesPerFlush = 2000;
/** The cost of starting is not part of the running cost. */
const settleSeconds = 20;

/** Bean temperature of a sample: unique, so that a mixed-up value is noticed. */
const beanTempOf = (seq: number): number => Math.fround(20 + (seq % 9973) / 50);

/** A day of samples in the agent's own journal, written by the agent's own code in seconds instead of a day. */
const writeDay = async (folder: string): Promise<number> => {
  const map = demoRoasterMap({ port: 502, hz });
  const channels = Object.keys(map.channels);
  const boot = '0a1b2c3d-0000-4000-8000-00000000000d';
  const [endWall, endMono] = [Date.now() - 60_000, daySeconds * 1000];
  let mono = 0;
  const now = () => ({ boot, mono: Math.round(mono), wall: endWall - endMono + mono, synced: true });
  const journal = await openJournal({
    folder,
    capBytes: 256 * 2 ** 20,
    clock: createWallClock(now),
    log: createLogger('endurance', 'silent'),
    context: { boot, map: { id: map.id, rev: map.rev }, channels },
    state: () => undefined,
  });
  const rest = channels.slice(1).map(() => 20);
  for (let written = 0; written < daySeconds * hz; written++) {
    mono += 1000 / hz;
    journal.appendSample(Math.round(mono), [beanTempOf(written), ...rest]);
    if (written % samplesPerFlush === 0) await journal.flush();
  }
  await journal.flush();
  await journal.close();
  return daySeconds * hz - 1;
};

const bytesIn = async (folder: string): Promise<number> => {
  const names = await readdir(folder);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

interface ChunkRow {
  first_seq: string;
  count: number;
  values: number[];
}

/** How many of the day's samples are missing, duplicated, or changed. */
const compareDay = async (sql: postgres.Sql, lastSeq: number) => {
  const wrong = { lost: 0, doubled: 0, different: 0 };
  const seen = new Uint8Array(lastSeq + 1);
  const chunks = sql<ChunkRow[]>`
    SELECT first_seq, cardinality(dt_ms) AS count, values FROM recording_chunks
    WHERE first_seq <= ${lastSeq} ORDER BY first_seq`.cursor(50);
  for await (const rows of chunks) {
    for (const { first_seq: first, count, values } of rows) {
      for (let index = 0; index < count; index++) {
        const seq = Number(first) + index;
        if (seq > lastSeq) break;
        seen[seq] = (seen[seq] ?? 0) + 1;
        if (Math.fround(values[index] ?? Number.NaN) !== beanTempOf(seq)) wrong.different += 1;
      }
    }
  }
  for (const times of seen) {
    if (times === 0) wrong.lost += 1;
    if (times > 1) wrong.doubled += 1;
  }
  return wrong;
};

/**
 * A board after a day without a network: watched for `awaySeconds` more, then the connection is restored. Measures its
 * memory while offline, when live readings are back, how fast the day is drained, and whether all of it arrived once.
 */
export const cutForADay = async (awaySeconds: number, say: (line: string) => void): Promise<Measurement[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-day-'));
  const dataDir = join(folder, 'data');
  const stack = await startStack({ dataDir });
  await using line = await openCuttableLine(stack.ports.mqtt);
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    await line.cut();
    say('a day of samples is written to the journal');
    const journalFolder = join(dataDir, 'machines', serial, 'journal', 'journal');
    await mkdir(journalFolder, { recursive: true });
    const lastSeq = await writeDay(journalFolder);
    const began = performance.now();
    const machine = await stack.startMachine({ serial, token, hz, mqttUrl: `mqtt://127.0.0.1:${line.port}` });
    const residentNow = async () => {
      if (machine.agent.pid === undefined) throw new Error('the agent is not running');
      return residentMegabytes(machine.agent.pid);
    };
    say(`${awaySeconds} s more without a network`);
    await sleep(settleSeconds * 1000);
    const [memoryBefore, bytesBefore] = [await residentNow(), await bytesIn(journalFolder)];
    await sleep(Math.max(0, awaySeconds - settleSeconds) * 1000);
    const [memoryAfter, bytesAfter] = [await residentNow(), await bytesIn(journalFolder)];

    const { brokerSecret } = await openSecrets(dataDir);
    const watcher = await connectAsync(stack.mqttUrl, {
      clientId: 'api-endurance',
      username: serviceUserName,
      password: brokerSecret,
    });
    let liveAt: number | undefined;
    watcher.on('message', (_topic, payload) => {
      liveReadingShape.parse(JSON.parse(payload.toString()));
      liveAt ??= performance.now();
    });
    await watcher.subscribeAsync(allMachines('live'));
    say('the line is mended');
    const mendedAt = performance.now();
    const awayTotalSeconds = daySeconds + (mendedAt - began) / 1000;
    await line.mend();
    const backAt = await until('live to be back', () => liveAt, { timeoutMs: 60_000, everyMs: 20 });
    await until(
      'the day to be committed',
      async () => {
        const [row] = await sql<{ done: boolean }[]>`
          SELECT committed_now(recordings) @> int8range(0, ${lastSeq}, '[]') AS done FROM recordings`;
        return row?.done === true;
      },
      { timeoutMs: 900_000, everyMs: 250 },
    );
    const drainSeconds = (performance.now() - mendedAt) / 1000;
    const memoryDrained = await residentNow();
    await watcher.endAsync();
    const { lost, doubled, different } = await compareDay(sql, lastSeq);
    const none = { of: 'value', atMost: 0 } as const;
    return [
      { what: 'a day without network: samples waiting', value: lastSeq + 1, unit: 'samples' },
      { what: '  lost', value: lost, unit: 'samples', aim: none },
      { what: '  stored twice', value: doubled, unit: 'samples', aim: none },
      { what: '  stored otherwise than read', value: different, unit: 'samples', aim: none },
      {
        what: '  line mended → live again',
        value: (backAt - mendedAt) / 1000,
        unit: 's',
        aim: { of: 'value', atMost: 2 },
      },
      {
        what: '  drained, times real time',
        value: awayTotalSeconds / drainSeconds,
        unit: '×',
        aim: { of: 'value', atLeast: 20 },
      },
      { what: '  agent, resident after 20 s alone', value: memoryBefore.now, unit: 'MB' },
      {
        what: `  agent, resident after ${awaySeconds} s alone`,
        value: memoryAfter.now,
        unit: 'MB',
        against: { what: 'after 20 s', value: memoryBefore.now },
        aim: { of: 'ratio', atMost: 1.15 },
      },
      { what: '  its journal grew by', value: (bytesAfter - bytesBefore) / 1e6, unit: 'MB' },
      {
        what: '  agent, resident at most, drain included',
        value: memoryDrained.most,
        unit: 'MB',
        aim: { of: 'value', atMost: 120 },
      },
    ];
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};
