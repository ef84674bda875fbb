import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from '@roastery/testing/held-memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLots, readRecording, rowsOf } from '../domains/imports/file-jobs.ts';
import { exampleCsv } from '../testing/example-data.ts';
import { hostileFiles, largeCsv } from '../testing/hostile-files.ts';
import { lotsOutcome, openReaders, outcome } from '../testing/opened-readers.ts';
import { openTestApi, type OpenedTestApi } from '../testing/test-api.ts';

const honest = new TextEncoder().encode(exampleCsv());

/** Files that are refused before they cost the process its memory or its time. */
const refusals: Readonly<Record<string, string>> = {
  'a cell ZZZZZZZ1': 'too far right',
  'zeros that unpack to 50 MB': '40 MB',
  '8,000 columns of one name': 'more than 256 columns',
  '4,000 extra devices': 'more than 256 curves',
  'a head of 40,000 brackets': '',
};
const hostileFile = (name: string) => hostileFiles.find((file) => file.name === name)?.bytes ?? new Uint8Array();

/** Processes whose command names the program, by id with their parent's. */
const processesOf = (program: string): { pid: number; parent: number }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program) ? [{ pid: Number(pid), parent }] : [];
      } catch (error) {
        if (error instanceof Error && 'code' in error) return [];
        throw error;
      }
    });
/** Of earlier files of this worker. */
const others = processesOf('launch-readers').map(({ pid }) => pid);
const launcherPids = (of: number = process.pid): number[] =>
  processesOf('launch-readers').flatMap(({ pid, parent }) => (parent === of && !others.includes(pid) ? [pid] : []));
/** Living processes of readers that the launchers of a process started. */
const readerPids = (of?: number): number[] => {
  const launchers = launcherPids(of);
  return processesOf('file-reader').flatMap(({ pid, parent }) => (launchers.includes(parent) ? [pid] : []));
};

/** The only process of a kind. A process that has just begun has no command yet. */
const onlyOne = async (pids: () => number[]): Promise<number> => {
  await expect.poll(() => pids()).toHaveLength(1);
  // A signal to process 0 would be one to all processes of the tests.
  return pids()[0] ?? Number.NaN;
};

/** A file in a reader that does not go on. The api knows the process of a reader only when it has read a file. */
const readInStopped = async ({ readers }: ReturnType<typeof openReaders>) => {
  await outcome(readers, honest);
  const pid = await onlyOne(readerPids);
  process.kill(pid, 'SIGSTOP');
  return { pid, reading: outcome(readers, honest) };
};

const isAlive = (pid: number): boolean => processesOf('dist/').some((one) => one.pid === pid);
/** A module of the build, which runs without the test's loader. */
const built = (name: string): string => new URL(`../../dist/${name}`, import.meta.url).href;

describe('file readers: limits of a process', () => {
  // A reader holds 82 MB after an ordinary file, and 260 MB while it reads the large one.
  it.each([
    { what: 'deadline', options: { deadlineMs: 1 }, file: () => honest, says: 'took longer than' },
    { what: 'resident memory', options: { residentMegabytes: 140 }, file: largeCsv, says: 'more memory than' },
    { what: 'heap', options: { heapMegabytes: 24 }, file: () => largeCsv(60_000), says: 'more memory than' },
  ])('refuses a file with a reason when its process exceeds the $what, and reads the next one', async (limit) => {
    await using opened = openReaders({ processes: 1, ...limit.options });
    // Memory is measured every 50 ms: a busy computer may miss a peak.
    const both = async (): Promise<string> => {
      const [large, next] = await Promise.all([
        outcome(opened.readers, limit.file()),
        limit.what === 'deadline' ? 60 : outcome(opened.readers, honest),
      ]);
      return `${large}; next read: ${Number(next) > 10}`;
    };
    await expect.poll(both).toMatch(new RegExp(`^validation: .*${limit.says}.*; next read: true$`));
    expect(opened.log()).toContain('file reader stopped');
  });

  it('reuses a process for honest files, and ends it when it has been idle', async () => {
    await using opened = openReaders({ processes: 1, idleMs: 500 });
    await outcome(opened.readers, honest);
    const [first] = readerPids();
    await outcome(opened.readers, honest);
    expect(readerPids()).toEqual([first]);
    await expect.poll(() => readerPids()).toEqual([]);
    expect(await outcome(opened.readers, honest)).toBeGreaterThan(10);
  });

  it('reads a file again whose process was ended from outside', async () => {
    await using opened = openReaders({ processes: 1, deadlineMs: 100_000 });
    const { pid, reading } = await readInStopped(opened);
    process.kill(pid, 'SIGKILL');
    expect(await reading).toBeGreaterThan(10);
    expect(opened.log()).toContain('file reader stopped');
  });

  it('reads a file whose launcher is lost before it has started a reader', async () => {
    await using opened = openReaders({ processes: 1 });
    opened.readers.prepare();
    const launcher = await onlyOne(launcherPids);
    process.kill(launcher, 'SIGSTOP');
    const reading = outcome(opened.readers, honest);
    process.kill(launcher, 'SIGKILL');
    expect(await reading).toBeGreaterThan(10);
  });

  it('reads a file again whose reader hangs while the launcher is lost, and ends that reader', async () => {
    await using opened = openReaders({ processes: 1, deadlineMs: 100_000 });
    const { pid, reading } = await readInStopped(opened);
    for (const launcher of launcherPids()) process.kill(launcher, 'SIGKILL');
    expect(await reading).toBeGreaterThan(10);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends a reader that hangs when the api is killed', async () => {
    // A stopped reader does not react, like one in an endless loop.
    const [pool, job] = [built('file-reading/file-readers.js'), built('domains/imports/file-jobs.js')];
    const program = `
      const { createFileReaders } = await import(${JSON.stringify(pool)});
      const { describeRoastFile } = await import(${JSON.stringify(job)});
      const readers = createFileReaders({ warn() {}, error() {} });
      setInterval(() => undefined, 1000);
      await readers.run(describeRoastFile, 'a person', Buffer.from(${JSON.stringify(exampleCsv())}), {});`;
    const api = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'inherit' });
    await expect.poll(() => readerPids(api.pid)).toHaveLength(1);
    const [launchers, readers] = [launcherPids(api.pid), readerPids(api.pid)];
    for (const pid of readers) process.kill(pid, 'SIGSTOP');
    api.kill('SIGKILL');
    await expect.poll(() => [...launchers, ...readers].filter(isAlive)).toEqual([]);
  });

  it('alternates between users, and refuses more files of one user than its limit with 429', async () => {
    await using opened = openReaders({ processes: 1, maxOfOnePerson: 4 });
    const done: string[] = [];
    const read = (person: string) => outcome(opened.readers, honest, person).then(() => done.push(person));
    const all = [read('first'), read('first'), read('first'), read('first'), read('second')];
    expect(await outcome(opened.readers, honest, 'first')).toContain('too_many_requests');
    await Promise.all(all);
    expect(done.indexOf('second')).toBeLessThanOrEqual(1);
  });

  it('closes with queued files: they are refused with 503 and no process is left', async () => {
    const opened = openReaders({ processes: 1 });
    const { reading } = await readInStopped(opened);
    const waiting = [reading, outcome(opened.readers, honest)];
    await opened.readers.close();
    expect(await Promise.all(waiting)).toEqual(Array(2).fill('not_ready: "The server is stopping."'));
    expect(readerPids()).toEqual([]);
  });
});

describe('file readers: a process', () => {
  let opened: ReturnType<typeof openReaders>;
  beforeAll(() => {
    opened = openReaders({ processes: 1 });
  });
  afterAll(() => opened.readers.close());

  it('runs at low priority, in its own session', async () => {
    await outcome(opened.readers, honest);
    const [pid = 0] = readerPids();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in brackets: state, parent, group, session; niceness is the 19th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect({ session: Number(fields[3]), niceness: Number(fields[16]) }).toEqual({ session: pid, niceness: 10 });
  });

  it('starts a process with an empty environment', async () => {
    await outcome(opened.readers, honest);
    const [pid] = readerPids();
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0] ?? '')
      .filter((name) => name !== '');
    expect(names).toEqual(['TZ']);
  });

  it('keeps nothing of a file in memory after its job', async () => {
    const refs: WeakRef<object>[] = [];
    for (let file = 0; file < 5; file += 1) {
      refs.push(new WeakRef(await opened.readers.run(readRecording, 'a person', honest, {})));
    }
    expect(readerPids()).toHaveLength(1);
    const kept = async () => {
      // A reference lives until the end of the turn in which it was read.
      await nextTurn();
      collectGarbage();
      return refs.filter((ref) => ref.deref() !== undefined).length;
    };
    await expect.poll(kept).toBeLessThanOrEqual(1);
  });
});

describe('file readers: hostile files', () => {
  let opened: ReturnType<typeof openReaders>;
  beforeAll(() => {
    opened = openReaders();
  });
  afterAll(() => opened.readers.close());

  it.each(hostileFiles)('handles $name within its limits', async ({ name, bytes }) => {
    const before = opened.log().length;
    // A number of samples, or a refusal with a message.
    const result = String(await outcome(opened.readers, bytes));
    expect(result).toMatch(/^(?:\d+$|validation: )/);
    expect(opened.log()).not.toContain('file reader failed');
    const says = refusals[name];
    if (says === undefined) return;
    expect(result).toContain(says);
    expect(opened.log().slice(before)).not.toContain('file reader stopped');
  });

  it('reads lots in a process, and refuses hostile ones', async () => {
    const csv = `lot_number,coffee_name,origin,initial_weight\nA,B,C,60`;
    const { rows } = await opened.readers.run(readLots, 'a person', Buffer.from(csv), {});
    expect(rows.flatMap(rowsOf)).toMatchObject([{ line: 2, values: { initial_weight: 60 }, errors: [] }]);
    const wide = `${'x,'.repeat(200_000)}\n1`;
    await expect(opened.readers.run(readLots, 'a person', Buffer.from(wide), {})).rejects.toThrow(
      'more than 100 columns',
    );
  });

  // One of each kind; damaged-files.endurance.test.ts has all.
  it.each([
    'a cell ZZZZZZZ1',
    'a long text shared by 100,000 cells',
    'a first cell of a million blanks',
    'ten million separators',
  ])('handles a list of lots that is %s within its limits', async (name) => {
    expect(await lotsOutcome(opened.readers, hostileFile(name))).toMatch(/^(?:\d+ texts|validation: )/);
    expect(opened.log()).not.toContain('file reader failed');
  });

  it('reads a recording as columns of the length of its times', async () => {
    const recording = await opened.readers.run(readRecording, 'a person', largeCsv(6000), { time_unit: 's' });
    expect(recording.channels.map(({ values }) => values.length)).toEqual(Array(5).fill(recording.monoMs.length));
  });
});

describe('file readers: the api beside them', () => {
  let api: OpenedTestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  it('answers other requests while hostile and large files are read', async () => {
    const files = hostileFiles
      .filter(({ bytes }) => bytes.length < 10 * 1024 * 1024)
      .map(({ bytes }) => bytes)
      .slice(0, 4)
      .concat([largeCsv(60_000)]);
    const reading = new Set(files.keys());
    const uploads = Promise.all(
      files.map((bytes, at) =>
        api.admin
          .sendFile<{ detail?: string }>(`/roasts/uploads?file_name=${at}`, bytes)
          .finally(() => reading.delete(at)),
      ),
    );
    let answers = 0;
    while (reading.size > 0) {
      const { size } = reading;
      expect((await api.admin.send('GET', '/auth/me')).status).toBe(200);
      // While it was answered no file was completed.
      if (reading.size === size) answers += 1;
    }
    for (const { status, body } of await uploads) expect([201, 422], JSON.stringify(body)).toContain(status);
    expect(answers).toBeGreaterThan(10);
  });
});
