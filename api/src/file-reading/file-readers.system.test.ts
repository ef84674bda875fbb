import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sharedData } from '@roastery/testing/shared-data';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRoastFile, readRecording } from '../domains/imports/roast-file-jobs.ts';
import { readLots, rowsOf } from '../domains/imports/lots/read-lots.ts';
import { AppError } from '../http/app-error.ts';
import { writeWorkbook } from '../sheets/write-workbook.ts';
import { exampleCsv } from '../testing/example-data.ts';
import { readArtisanSettings } from '../domains/machine-maps/artisan/read-artisan-settings.ts';
import { tcpSettings } from '../testing/artisan-settings.ts';
import { formatFiles } from '../testing/format-files.ts';
import { lotFiles } from '../testing/lot-files.ts';
import { hostileFiles, largeCsv, mutated, mutatedWorkbook, workbookOf } from '../testing/hostile-files.ts';
import { chanceFrom } from '../testing/seeded-random.ts';
import { openTestApi, type OpenedTestApi } from '../testing/test-api.ts';
import { createFileReaders, type FileReaders, type FileReadersOptions } from './file-readers.ts';

const shared = sharedData();
/** Damaged copies of each kind of file; `npm run endurance` reads more of them. */
const damagedCopies = Number(process.env['FUZZ_FILES'] ?? 30);
const honest = new TextEncoder().encode(exampleCsv());

/** A pool and what it logged. */
const openReaders = (options: Partial<FileReadersOptions> = {}) => {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged.push(chunk.toString());
      done();
    },
  });
  const readers = createFileReaders(pino({ level: 'info' }, sink), options);
  return { readers, log: () => logged.join(''), [Symbol.asyncDispose]: () => readers.close() };
};

const describeBy = (readers: FileReaders, person: string, content: Uint8Array) =>
  readers.run(describeRoastFile, person, content, {});

/** What became of a file: its number of samples, or the refusal. */
const outcome = async (readers: FileReaders, content: Uint8Array, person = 'a person') => {
  try {
    return (await describeBy(readers, person, content)).upload.samples;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${JSON.stringify(error.detail)}`;
    throw error;
  }
};

/** How many texts of rows a list of lots has, or its refusal. */
const lotsOutcome = async (readers: FileReaders, content: Uint8Array): Promise<string> => {
  try {
    return `${(await readers.run(readLots, 'a person', content, {})).rows.length} texts`;
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${JSON.stringify(error.detail)}`;
    throw error;
  }
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
const launcherPids = (of: number = process.pid): number[] =>
  processesOf('launch-readers').flatMap(({ pid, parent }) => (parent === of ? [pid] : []));
/** Processes of readers that the launchers of a process started and that live. */
const readerPids = (of?: number): number[] => {
  const launchers = launcherPids(of);
  return processesOf('file-reader').flatMap(({ pid, parent }) => (launchers.includes(parent) ? [pid] : []));
};

const isAlive = (pid: number): boolean => processesOf('dist/').some((one) => one.pid === pid);
/** A module of the build, which runs without the test's loader. */
const built = (name: string): string => new URL(`../../dist/${name}`, import.meta.url).href;

describe('file readers: limits of a process', () => {
  // A reader holds 82 MB after an ordinary file, and 260 MB while it reads the large one.
  it.each([
    { what: 'deadline', options: { deadlineMs: 1 }, file: largeCsv, says: 'took longer than' },
    { what: 'resident memory', options: { residentMegabytes: 140 }, file: largeCsv, says: 'more memory than' },
    { what: 'heap', options: { heapMegabytes: 24 }, file: largeCsv, says: 'more memory than' },
  ])('refuses a file in words when its process exceeds the $what, and reads the next one', async (limit) => {
    await using opened = openReaders({ processes: 1, ...limit.options });
    // Memory is measured every 50 ms: a busy computer may look between two peaks.
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
    const reading = outcome(opened.readers, largeCsv());
    await expect.poll(() => readerPids()).toHaveLength(1);
    for (const pid of readerPids()) process.kill(pid, 'SIGKILL');
    expect(await reading).toBe(190_000);
  });

  it('reads a file whose launcher is lost before it has started a reader', async () => {
    await using opened = openReaders({ processes: 1 });
    opened.readers.prepare();
    const [launcher = 0] = launcherPids();
    process.kill(launcher, 'SIGSTOP');
    const reading = outcome(opened.readers, honest);
    process.kill(launcher, 'SIGKILL');
    expect(await reading).toBeGreaterThan(10);
  });

  it('reads a file again whose reader hangs when the launcher is lost, and ends that reader', async () => {
    await using opened = openReaders({ processes: 1, deadlineMs: 100_000 });
    // The api knows the process of a reader that has read a file; only such a one can hang in a file.
    await outcome(opened.readers, honest);
    const [hanging = 0] = readerPids();
    const reading = outcome(opened.readers, largeCsv());
    process.kill(hanging, 'SIGSTOP');
    for (const pid of launcherPids()) process.kill(pid, 'SIGKILL');
    expect(await reading).toBe(190_000);
    expect(isAlive(hanging)).toBe(false);
  });

  it('ends a reader that hangs when the api is killed', async () => {
    // A stopped reader notices as little as one in an endless loop.
    const [pool, job] = [built('file-reading/file-readers.js'), built('domains/imports/roast-file-jobs.js')];
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

  it('keeps nothing of a file in memory after its job, however long the process lives', async () => {
    await using opened = openReaders({ processes: 1 });
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const refs: WeakRef<object>[] = [];
    for (let file = 0; file < 5; file += 1) {
      refs.push(new WeakRef(await opened.readers.run(readRecording, 'a person', honest, {})));
    }
    expect(readerPids()).toHaveLength(1);
    const kept = async () => {
      await sleep(1);
      collect();
      return refs.filter((ref) => ref.deref() !== undefined).length;
    };
    await expect.poll(kept).toBeLessThanOrEqual(1);
  });

  it('gives a process none of the environment', async () => {
    await using opened = openReaders({ processes: 1 });
    await outcome(opened.readers, honest);
    const [pid] = readerPids();
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0] ?? '')
      .filter((name) => name !== '');
    expect(names).toEqual(['TZ']);
  });

  it('lets people take turns, and refuses more files of one person than its limit with 429', async () => {
    await using opened = openReaders({ processes: 1, maxOfOnePerson: 4 });
    const done: string[] = [];
    const read = (person: string) => outcome(opened.readers, honest, person).then(() => done.push(person));
    const all = [read('first'), read('first'), read('first'), read('first'), read('second')];
    expect(await outcome(opened.readers, honest, 'first')).toContain('too_many_requests');
    await Promise.all(all);
    expect(done.indexOf('second')).toBeLessThanOrEqual(1);
  });

  it('closes with files waiting: they are refused with 503 and no process is left', async () => {
    const opened = openReaders({ processes: 1 });
    const waiting = [outcome(opened.readers, largeCsv()), outcome(opened.readers, largeCsv())];
    await expect.poll(() => readerPids()).toHaveLength(1);
    await opened.readers.close();
    expect(await Promise.all(waiting)).toEqual(Array(2).fill('not_ready: "The server is stopping"'));
    expect(readerPids()).toEqual([]);
  });
});

describe('file readers: hostile files', () => {
  let opened: ReturnType<typeof openReaders>;
  beforeAll(() => {
    opened = openReaders();
  });
  afterAll(() => opened.readers.close());

  it.each(hostileFiles)('answers $name within its limits', async ({ bytes }) => {
    // A number of samples, or a refusal in words.
    expect(String(await outcome(opened.readers, bytes))).toMatch(/^(?:\d+$|validation: )/);
    expect(opened.log()).not.toContain('file reader failed');
  });

  it('refuses cells beyond a sheet, too many columns and too many curves without ending the process', async () => {
    const before = opened.log().length;
    for (const [name, says] of [
      ['a cell ZZZZZZZ1', 'too far to the right'],
      ['8,000 columns of one name', 'more than 256 columns'],
      ['4,000 extra devices', 'more than 256 curves'],
      ['a head of 40,000 brackets', ''],
    ] as const)
      expect(String(await outcome(opened.readers, hostileFile(name)))).toContain(says);
    expect(opened.log().slice(before)).not.toContain('file reader stopped');
  });

  it.skipIf(!shared.present)(
    `survives damaged copies of real roasts, tables and workbooks${shared.title('')}`,
    { timeout: 300_000 },
    async () => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 9));
      const originals = [
        ...readdirSync(shared.path('alog'))
          .filter((name) => name.endsWith('.alog'))
          .map((name) => new Uint8Array(readFileSync(shared.path('alog', name)))),
        honest,
        workbookOf(
          '<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c><c r="B1" t="inlineStr"><is><t>bt</t></is></c></row>',
        ),
      ];
      for (let round = 0; round < damagedCopies; round += 1) {
        const answer = await outcome(opened.readers, mutated(chance.pick(originals), chance));
        expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
      }
      expect(opened.log().slice(before)).not.toContain('file reader');
    },
  );

  it.each(formatFiles)(
    'survives damaged and swollen copies of $name',
    { timeout: 300_000 },
    async ({ name, bytes }) => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 11));
      const rounds = Math.ceil(damagedCopies / 15);
      for (let round = 0; round < rounds; round += 1) {
        const answer = await outcome(opened.readers, mutated(bytes, chance));
        expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
      }
      // The same file over and over: more samples, sections and lists than a roast has.
      const times = name.endsWith('.xls') ? 3 : Math.ceil((9 * 1024 * 1024) / bytes.length);
      const swollen = Buffer.concat(Array.from({ length: times }, () => bytes));
      expect(String(await outcome(opened.readers, swollen))).toMatch(/^(?:\d+$|validation: )/);
      expect(opened.log().slice(before)).not.toContain('file reader failed');
    },
  );

  it('survives workbooks whose parts are damaged inside the archive', { timeout: 300_000 }, async () => {
    const before = opened.log().length;
    const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 10));
    const rows = exampleCsv()
      .split('\n')
      .map((line, row) =>
        line.split(',').map((cell) => (row > 0 && cell !== '' && !Number.isNaN(Number(cell)) ? Number(cell) : cell)),
      );
    const written: Uint8Array[] = [];
    const sheets = ['Samples', 'Marks'].map((name) => ({ name, headRows: 1, widths: [10, 10], rows }));
    for await (const piece of writeWorkbook(sheets)) written.push(piece);
    const shared = workbookOf(
      rows
        .map(
          (_, at) =>
            `<row r="${at + 1}"><c r="A${at + 1}" t="s"><v>${at % 3}</v></c><c r="B${at + 1}" s="1"><v>${at}</v></c></row>`,
        )
        .join(''),
      {
        'xl/sharedStrings.xml': new TextEncoder().encode(
          '<sst><si><t>time</t></si><si><r><t>B</t></r><r><t>T</t></r></si><si/></sst>',
        ),
        'xl/styles.xml': new TextEncoder().encode(
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>',
        ),
      },
    );
    const originals = [Buffer.concat(written), shared];
    expect(await outcome(opened.readers, Buffer.concat(written))).toBe(120);
    const end = Date.now() + 60_000;
    let round = 0;
    for (; round < damagedCopies && Date.now() < end; round += 1) {
      const answer = await outcome(opened.readers, mutatedWorkbook(chance.pick(originals), chance));
      expect(String(answer)).toMatch(/^(?:\d+$|validation: )/);
    }
    expect(round).toBeGreaterThanOrEqual(Math.min(50, damagedCopies));
    expect(opened.log().slice(before)).not.toContain('file reader');
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

  it.each(hostileFiles)('answers a list of lots that is $name within its limits', async ({ bytes }) => {
    expect(await lotsOutcome(opened.readers, bytes)).toMatch(/^(?:\d+ texts|validation: )/);
    expect(opened.log()).not.toContain('file reader failed');
  });

  it.each(lotFiles)(
    'survives damaged and swollen copies of the list $name',
    { timeout: 300_000 },
    async ({ bytes }) => {
      const before = opened.log().length;
      const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 12));
      for (let round = 0; round < Math.ceil(damagedCopies / 10); round += 1) {
        expect(await lotsOutcome(opened.readers, mutated(bytes, chance))).toMatch(/^(?:\d+ texts|validation: )/);
      }
      const swollen = Buffer.concat(Array.from({ length: Math.ceil((9 * 1024 * 1024) / bytes.length) }, () => bytes));
      expect(await lotsOutcome(opened.readers, swollen)).toMatch(/^(?:\d+ texts|validation: )/);
      expect(opened.log().slice(before)).not.toContain('file reader failed');
    },
  );

  it('refuses hostile and damaged settings of Artisan in words', async () => {
    const chance = chanceFrom(Number(process.env['FUZZ_SEED'] ?? 13));
    const damaged = Array.from({ length: damagedCopies }, () => mutated(new TextEncoder().encode(tcpSettings), chance));
    for (const bytes of [...hostileFiles.map((file) => file.bytes), ...damaged]) {
      const answer = await opened.readers.run(readArtisanSettings, 'a person', bytes, { fileName: 'a.aset' }).then(
        ({ map }) => map.v,
        (error: unknown) => (error instanceof AppError ? error.code : error),
      );
      expect([1, 'validation']).toContain(answer);
    }
    expect(opened.log()).not.toContain('file reader failed');
  });

  it('reads a recording as columns that are as long as its times', async () => {
    const recording = await opened.readers.run(readRecording, 'a person', largeCsv(), { time_unit: 's' });
    expect(recording.channels.map(({ values }) => values.length)).toEqual(Array(5).fill(recording.monoMs.length));
  });
});

describe('file readers: the api beside them', () => {
  let api: OpenedTestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  it('answers other requests while ten hostile and large files are read', async () => {
    const large = largeCsv();
    const files = hostileFiles
      .filter(({ bytes }) => bytes.length < 10 * 1024 * 1024)
      .map(({ bytes }) => bytes)
      .slice(0, 7)
      .concat([large, large, large]);
    const reading = new Set(files.keys());
    const uploads = Promise.all(
      files.map((bytes, at) =>
        api.admin
          .sendFile<{ detail?: string }>(`/roasts/uploads?file_name=${at}`, bytes)
          .finally(() => reading.delete(at)),
      ),
    );
    const waits: number[] = [];
    while (reading.size > 0) {
      const from = performance.now();
      expect((await api.admin.send('GET', '/auth/me')).status).toBe(200);
      waits.push(performance.now() - from);
      // Asking without a pause would itself be the load.
      await sleep(20);
    }
    for (const { status, body } of await uploads) expect([201, 422], JSON.stringify(body)).toContain(status);
    expect(waits.length).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeLessThan(5000);
  });
});
