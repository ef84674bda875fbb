import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@roastery/runtime/logger';
import { portOf } from '@roastery/runtime/system-errors';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { artisanFile, drumRoast } from '@roastery/simulator/artisan/artisan-file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentConfig } from '../config.ts';
import { watchArtisanFiles, type ArtisanFiles } from './artisan-files.ts';

const log = createLogger('test', 'silent');
let time: VirtualClock;
let home: string;
let folder: string;
let dataDir: string;
let server: Server;
let got: { name: string; text: string }[];
/** The server's answers; the last one repeats. */
let answers: [status: number, body: object][];
/** The server's answer about missing files; by default that of an older server. */
let check: ((sha256: string[]) => object) | undefined;
let watchers: ArtisanFiles[];
let told: number;

/** When the watchers start. */
const moment = Date.UTC(2026, 10, 22, 10);

const taken = { outcome: 'created', roast_id: '0198c0de-0000-7000-8000-000000000001' };
const text = (seed = 0): string =>
  artisanFile(drumRoast(1_700_000_000_000 + seed * 3_600_000, { uuid: `roast-${seed}` }));
const sha256Of = (content: string): string => createHash('sha256').update(content).digest('hex');
const setChanged = (name: string, ms: number): Promise<void> => utimes(join(folder, name), ms / 1000, ms / 1000);
/** Changed now, by the clock of the watchers. */
const save = async (name: string, content = text()): Promise<void> => {
  await writeFile(join(folder, name), content);
  await setChanged(name, time.now());
};

beforeEach(async () => {
  time = createVirtualClock({ wall: moment });
  home = await mkdtemp(join(tmpdir(), 'artisan files '));
  [folder, dataDir] = [join(home, 'autosave'), join(home, 'data')];
  await Promise.all([mkdir(folder), mkdir(dataDir)]);
  got = [];
  answers = [[200, taken]];
  watchers = [];
  check = undefined;
  told = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      if (url.pathname.endsWith('/check')) {
        const { sha256 } = JSON.parse(Buffer.concat(chunks).toString()) as { sha256: string[] };
        response.writeHead(check === undefined ? 404 : 200).end(JSON.stringify(check?.(sha256) ?? {}));
        return;
      }
      const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [500, {}];
      if (status === 200)
        got.push({ name: url.searchParams.get('file_name') ?? '', text: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(async () => {
  for (const watcher of watchers) await stop(watcher);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

const watch = async (pastDays: number | null = null): Promise<ArtisanFiles> => {
  // The watcher needs only this part of a board's configuration.
  const config = {
    apiUrl: `http://127.0.0.1:${portOf(server)}/api/v1`,
    machineSerial: 'RM30-7',
    machineToken: 'token',
    dataDir,
  } as AgentConfig;
  const started = await watchArtisanFiles({
    config,
    folder,
    pastDays,
    clock: time,
    log,
    changed: () => (told += 1),
  });
  watchers.push(started);
  return started;
};
const restart = async (): Promise<ArtisanFiles> => {
  await stop(watchers.pop());
  return watch();
};
const stop = (watcher: ArtisanFiles | undefined) => time.run(Promise.resolve(watcher?.stop()));
/** Waits for this state of the watcher: scans follow one another without waiting for real time. */
const poll = <T>(probe: () => T) => expect.poll(time.passing(probe), { interval: 1 });
const sentTo = (count: number) => poll(() => got.length).toBe(count);
/** Sends one more file, which proves that the earlier ones were skipped. */
const andNoMore = async (before: number): Promise<void> => {
  await save('last.alog', text(99));
  await sentTo(before + 1);
  expect(got.at(-1)?.name).toBe('last.alog');
};

describe('watchArtisanFiles', () => {
  it('sends each finished file once, also after a rename or a restart', async () => {
    await save('a.alog');
    const files = await watch();
    await sentTo(1);
    expect(got[0]).toEqual({ name: 'a.alog', text: text() });
    await rename(join(folder, 'a.alog'), join(folder, 'b.alog'));
    await restart();
    await andNoMore(1);
    expect(files.report()).toMatchObject({ sent: 1, refused: 0, waiting: 0, trouble: null });
    expect((await stat(join(dataDir, 'artisan-files.json'))).mode & 0o777).toBe(0o600);
  });

  it('waits for a half-written file, and sends an edited one again', async () => {
    await save('a.alog', text().slice(0, 2000));
    const files = await watch();
    await poll(() => files.report().waiting).toBe(1);
    expect(got).toEqual([]);
    await save('a.alog');
    await sentTo(1);
    await save('a.alog', text(1));
    await sentTo(2);
    expect(got.map((one) => one.text)).toEqual([text(), text(1)]);
    expect(files.report()).toMatchObject({ waiting: 0, newest: [{ name: 'a.alog', state: 'sent' }] });
  });

  it('reports a file that stays incomplete as damaged, and sends it when it is complete', async () => {
    await save('a.alog', text().slice(0, 2000));
    const files = await watch();
    await poll(() => files.report().refused).toBe(1);
    expect(files.report().newest[0]).toMatchObject({
      state: 'refused',
      reason: 'it is not a complete Artisan roast file',
    });
    await save('a.alog');
    await sentTo(1);
  });

  it('continues after the server was unreachable, and loses nothing', async () => {
    answers = [
      [503, {}],
      [429, {}],
      [401, {}],
      [200, taken],
    ];
    await Promise.all([save('a.alog'), save('b.alog', text(1))]);
    const files = await watch();
    await poll(() => files.report().trouble).toBe('the server answers 503');
    expect(files.report().waiting).toBe(2);
    await sentTo(2);
    await poll(() => files.report()).toMatchObject({ sent: 2, waiting: 0, trouble: null });
  });

  it('sends a file whose long name is cut within a character, and those after it', async () => {
    await save(`\u{1F600}${'a'.repeat(194)}.alog`);
    await setChanged(`\u{1F600}${'a'.repeat(194)}.alog`, moment - 60_000);
    await save('b.alog', text(1));
    await watch();
    await sentTo(2);
    expect(got.map(({ name }) => name)).toEqual([`\uFFFD${'a'.repeat(194)}.alog`, 'b.alog']);
  });

  it('sends each file once with a read-only data folder', async () => {
    await rm(dataDir, { recursive: true });
    await writeFile(dataDir, 'a file');
    for (const n of [0, 1, 2]) await save(`${n}.alog`, text(n));
    const files = await watch();
    await sentTo(3);
    await andNoMore(3);
    expect(got.map(({ name }) => name).toSorted()).toEqual(['0.alog', '1.alog', '2.alog', 'last.alog']);
    // The server has the last one before its answer arrives.
    await poll(() => files.report()).toMatchObject({ sent: 4, waiting: 0, trouble: null });
  });

  it('keeps a refused file in the list with its reason, and does not send it again', async () => {
    answers = [
      [422, { detail: 'There is no roast in it.', code: 'validation', request_id: 'x' }],
      [200, taken],
    ];
    await save('a.alog');
    const files = await watch();
    await poll(() => files.report().refused).toBe(1);
    await restart();
    await andNoMore(0);
    const { newest } = watchers.at(-1)?.report() ?? files.report();
    expect(newest).toContainEqual({ name: 'a.alog', state: 'refused', reason: 'There is no roast in it.' });
  });

  it('keeps what the server doubts about a file beside it', async () => {
    answers = [[200, { ...taken, doubts: ['First crack is at 120 °C.', 'Check it.'] }]];
    await save('a.alog');
    const files = await watch();
    await sentTo(1);
    await restart();
    const { newest } = watchers.at(-1)?.report() ?? files.report();
    expect(newest).toEqual([{ name: 'a.alog', state: 'sent', reason: 'First crack is at 120 °C. Check it.' }]);
  });

  it('sends the other files first when the server fails at one', async () => {
    answers = [
      [500, {}],
      [200, taken],
    ];
    await save('a.alog');
    await setChanged('a.alog', moment - 60_000);
    await save('b.alog', text(1));
    await watch();
    await sentTo(2);
    expect(got.map(({ name }) => name).sort()).toEqual(['a.alog', 'b.alog']);
  });

  it('ignores older files according to the setting, also under another name', async () => {
    await Promise.all([save('old.alog'), save('new.alog', text(1))]);
    await setChanged('old.alog', moment - 2 * 86_400_000);
    const files = await watch(1);
    await sentTo(1);
    await rename(join(folder, 'old.alog'), join(folder, 'older.alog'));
    await andNoMore(1);
    expect(got.map(({ name }) => name)).toEqual(['new.alog', 'last.alog']);
    // Saved again it is new.
    await save('older.alog', text(3));
    await sentTo(3);
    expect(files.unit()).toBe('C');
  });

  it('reads Artisan’s unit from a file that it ignores', async () => {
    await save('old.alog', artisanFile(drumRoast(1_700_000_000_000, { unit: 'F' })));
    await setChanged('old.alog', moment - 2 * 86_400_000);
    const files = await watch(1);
    await poll(() => files.unit()).toBe('F');
    expect(got).toEqual([]);
  });

  it('skips links, folders and files that are too large, and reports them', async () => {
    await writeFile(join(home, 'elsewhere.alog'), text());
    await symlink(join(home, 'elsewhere.alog'), join(folder, 'link.alog'));
    await mkdir(join(folder, 'folder.alog'));
    await save('huge.alog', 'x'.repeat(10 * 1024 * 1024 + 1));
    const files = await watch();
    await poll(() => files.report().refused).toBe(3);
    expect(
      files
        .report()
        .newest.map(({ name, reason }) => `${name}: ${reason}`)
        .sort(),
    ).toEqual([
      'folder.alog: it is not a file',
      'huge.alog: it is larger than 10 MB',
      'link.alog: it is a link, and links are not followed',
    ]);
    await andNoMore(0);
  });

  it('refuses a file with more parts than any roast before it is parsed, and says why', async () => {
    await save('parts.alog', `{'x': [${'{},'.repeat(60_000)}]}`);
    const files = await watch();
    await poll(() => files.report().refused).toBe(1);
    const reason = 'it has more parts than a roast file of Artisan';
    expect(files.report().newest).toEqual([{ name: 'parts.alog', state: 'refused', reason }]);
    await andNoMore(0);
  });

  it.skipIf(process.getuid?.() === 0)('waits for a file that it may not read', async () => {
    await save('a.alog');
    await chmod(join(folder, 'a.alog'), 0);
    const files = await watch();
    await poll(() => files.report().newest[0]?.reason).toBe('this user can’t read it');
    await chmod(join(folder, 'a.alog'), 0o600);
    await sentTo(1);
    expect(got).toHaveLength(1);
  });

  it('reports a missing folder, and continues when it exists', async () => {
    await rm(folder, { recursive: true });
    const files = await watch();
    await poll(() => files.report().trouble).toBe(`the folder ${folder} does not exist`);
    await mkdir(folder);
    await save('a.alog');
    await sentTo(1);
    expect(files.report().trouble).toBeNull();
    expect(told).toBeGreaterThan(0);
  });

  it('starts with an empty memory when it is damaged; the server knows the files', async () => {
    await save('a.alog');
    await watch();
    await sentTo(1);
    await stop(watchers.pop());
    const path = join(dataDir, 'artisan-files.json');
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, 40));
    await watch();
    await sentTo(2);
    expect(got[1]).toEqual(got[0]);
  });

  it('resends files that the server has lost, only to their owner', async () => {
    const [owner, other] = ['a'.repeat(16), 'b'.repeat(16)];
    const asked: string[][] = [];
    const answerAs = (stated: string, isLost: (sha256: string) => boolean): void => {
      check = (sha256) => {
        asked.push(sha256);
        return { owner: stated, missing: sha256.filter(isLost) };
      };
    };
    /** The next hourly check. */
    const answered = async () => {
      asked.length = 0;
      time.stall(3_600_000);
      await poll(() => asked.length).toBeGreaterThan(0);
    };
    await save('older.alog', text(1));
    await watch();
    await sentTo(1);
    // An older server did not state the owner: its lost files are not known to be this owner's.
    answerAs(owner, (sha256) => sha256 === sha256Of(text(1)));
    await answered();
    await save('a.alog', text(2));
    await sentTo(2);
    await answered();
    answerAs(other, () => true);
    await answered();
    await restart();
    await answered();
    expect(got).toHaveLength(2);
    answerAs(owner, (sha256) => sha256 === sha256Of(text(2)) && got.length < 3);
    await answered();
    await sentTo(3);
    expect(got.map(({ name }) => name)).toEqual(['older.alog', 'a.alog', 'a.alog']);
    answerAs(owner, () => false);
    await answered();
    // Now the server has stated that it holds the first one for this owner.
    answerAs(owner, (sha256) => sha256 === sha256Of(text(1)) && got.length < 4);
    await answered();
    await sentTo(4);
    expect(got.at(-1)?.name).toBe('older.alog');
  });
});
