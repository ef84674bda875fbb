import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { startStack, type Stack } from '@roastery/stack/stack';
import postgres from 'postgres';
import { registerTestMachine, signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import { hearAgent } from './agent-statements.ts';
import type { DiskFailure } from './failing-disk.ts';
import { numberedRoasterMap, readAnswers, readStoredReadings, type NumberedReading } from './answered-readings.ts';
import { judgeAnswers } from './judge-answers.ts';
import { readReported, readServerView, watchSegments } from './journalled-readings.ts';
import type { AgentKill } from './kill-while-roasting.ts';

/** Often enough that kills fall between request, answer, write and sync. */
const hz = 10;
/** A backlog of a failed disk and a server that was down is sent within this. */
const drainedWithinMs = 120_000;
const shownLosses = 10;
const wrongKinds = ['lost', 'doubled', 'shifted', 'different', 'invented'] as const;

/** Waits until nothing is missing, or for the longest possible time, and returns the last value of `work`. */
const untilWhole = async <T extends { readonly judgement: { readonly lost: readonly unknown[] } }>(
  work: () => Promise<T>,
): Promise<T> => {
  let last = await work();
  await until(
    'all of it to be stored',
    async () => {
      last = await work();
      return last.judgement.lost.length === 0;
    },
    { timeoutMs: drainedWithinMs, everyMs: 2000 },
  ).catch(() => undefined);
  return last;
};

interface Parts {
  readonly serial: string;
  readonly folder: string;
  readonly stack: Stack;
  readonly sql: postgres.Sql;
  readonly client: RoasteryClient;
  readonly heard: ReturnType<typeof hearAgent>;
  readonly say: (line: string) => void;
}
interface StartOptions {
  readonly start: 'preheat' | 'roasting';
  /** `NODE_OPTIONS` of the agent, by the folder of its journal. */
  readonly nodeOptions?: (journalFolder: string) => string;
}

const createStart =
  (parts: Parts) =>
  async ({ start, nodeOptions }: StartOptions) => {
    const { serial, folder, stack, sql, client, heard, say } = parts;
    const { auth_token: token } = await registerTestMachine(client, serial);
    const [recordFile, answersFile] = [join(folder, 'shown.jsonl'), join(folder, 'answers.jsonl')];
    const journalFolder = join(folder, 'data', 'machines', serial, 'journal', 'journal');
    const kept = watchSegments(journalFolder);
    const machine = await stack.startMachine({
      serial,
      token,
      map: numberedRoasterMap(hz),
      seed: 7,
      recordFile,
      answersFile,
      agentEnvironment: { LOG_LEVEL: 'debug' },
      ...(nodeOptions === undefined ? {} : { agentNodeOptions: nodeOptions(journalFolder) }),
      start,
    });
    const online = async () =>
      (await client.call(listDevices)).devices.find(({ serial_number: number }) => number === serial)?.connection ===
      'online';
    await until('the board to be online', online, { timeoutMs: 90_000 });

    /** Makes the machine silent, waits until all its answers are stored, and judges them. */
    const judgeAfter = async (kills: readonly AgentKill[], diskFailures: readonly DiskFailure[] = []) => {
      await stack.untilReady();
      machine.order({ faults: { silence: true } });
      await until('the board to be online', online, { timeoutMs: 60_000 });
      const outcome = await untilWhole(async () => {
        const [answers, stored] = [await readAnswers(answersFile), await readStoredReadings(sql, serial)];
        const reported = await readReported(sql, serial, kept.places(), heard.said.droppedForRoom);
        const judgement = judgeAnswers(answers, stored.readings, kills, heard.said, reported);
        return { judgement, answers, stored };
      });
      await kept.stop();
      const { judgement, answers, stored } = outcome;
      const describe = ({ monoMs, number }: NumberedReading): string => {
        const beside = kills.map((kill) => Math.round(monoMs - kill.monoMs)).sort((a, b) => Math.abs(a) - Math.abs(b));
        return `reading ${number}: ${beside[0] ?? 'never'} ms after the nearest kill`;
      };
      const wrong = wrongKinds.flatMap((kind) => judgement[kind].map((reading) => ({ kind, reading })));
      for (const kind of wrongKinds)
        for (const reading of judgement[kind].slice(0, shownLosses)) say(`${kind}: ${describe(reading)}`);
      if (wrong.length > 0) {
        const places = kept.places();
        const server = await readServerView(sql, serial);
        const readings = wrong.map((one) => {
          const written = places.get(one.reading.number) ?? [];
          return { ...one, places: written.map((place) => ({ ...place, around: kept.around(place) })) };
        });
        const trace = join(tmpdir(), `${serial}-${Date.now()}.json`);
        const log = heard.around(wrong.map(({ reading }) => reading.monoMs));
        await writeFile(
          trace,
          JSON.stringify({ readings, server, kills, diskFailures, said: heard.said, log }, null, 1),
        );
        say(`each of these readings with its places in the journal and what the server holds: ${trace}`);
      }
      const streams = await sql`
        SELECT DISTINCT p.epoch FROM stream_parts p JOIN machines m ON m.id = p.machine_id
        WHERE m.serial_number = ${serial}`;
      say(`${stored.withoutNumber} samples were read while the machine answered for its event bits alone`);
      return {
        judgement,
        totals: { answers: answers.length, stored: stored.readings.length },
        streams: streams.length,
      };
    };
    return { machine, journalFolder, recordFile, judgeAfter };
  };

/**
 * Runs `work` with a stack, and with a function that starts a machine whose answers identify themselves and are
 * recorded.
 */
export const withAnsweringMachine = async <T>(
  serial: string,
  say: (line: string) => void,
  work: (parts: Parts & { readonly startMachine: ReturnType<typeof createStart> }) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-endurance-'));
  const heard = hearAgent();
  const stack = await startStack({
    dataDir: join(folder, 'data'),
    onLine(name, line) {
      if (name === `agent-${serial}`) heard.line(line);
      else if (name === 'stack' && line.startsWith(`agent-${serial} ended`)) heard.ended();
    },
  });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    const client = await signIn(stack.url, stack.admin);
    const parts = { serial, folder, stack, sql, client, heard, say };
    return await work({ ...parts, startMachine: createStart(parts) });
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};
