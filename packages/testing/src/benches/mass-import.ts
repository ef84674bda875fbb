import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatFiles } from '@roastery/api/testing/format-files';
import type { RoastImport } from '@roastery/contract/roast-imports';
import { startStack } from '@roastery/stack/stack';
import type { Bench } from '../bench.ts';
import { signIn } from '../roastery-client.ts';

const files = Number(process.env['IMPORT_FILES'] ?? 2000);
const brokenShare = 0.05;
const sendersAtOnce = 2;
const askedFor = '/api/v1/roasts?limit=25';
const encoder = new TextEncoder();

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;

/** Asks for a page of roasts until it is told to stop; answers how long each answer took, ms. */
const askUntil = async (url: string, cookie: string, done: () => boolean): Promise<number[]> => {
  const times: number[] = [];
  while (!done()) {
    const from = performance.now();
    const answer = await fetch(`${url}${askedFor}`, { headers: { cookie } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a page of roasts was answered with ${answer.status}`);
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
};

/** A roast of its own: the same curve as the made CSV, shifted, so that none is a duplicate. */
const fileOf = (index: number): { name: string; bytes: Uint8Array<ArrayBuffer> } => {
  const name = `years/${2015 + (index % 10)}/roast ${index}`;
  if (index % Math.round(1 / brokenShare) === 0)
    return { name: `${name}.alog`, bytes: encoder.encode(`{'timex': [${index}`) };
  const seconds = Array.from({ length: 700 }, (_, second) => second);
  const shift = index / 10_000;
  const bean = seconds.map(
    (second) => Math.round(((second < 60 ? 200 - second * 1.8 : 92 + second / 6) + shift) * 1e4) / 1e4,
  );
  const text = `{'mode': 'C', 'title': 'Guji ${index}', 'roastepoch': ${1_500_000_000 + index * 900}, 'weight': [5, 4.3, 'Kg'], 'timex': [${seconds.join(', ')}], 'temp1': [${bean.join(', ')}], 'temp2': [${bean.join(', ')}], 'timeindex': [0, 0, 500, 0, 0, 0, 690, 0]}`;
  return { name: `${name}.alog`, bytes: encoder.encode(text) };
};

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-mass-import-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const { cookie } = await signIn(stack.url, stack.admin);
    const send = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
      const init = { method, headers: { cookie, 'content-type': 'application/json' } };
      const answer = await fetch(
        `${stack.url}/api/v1${path}`,
        body === undefined ? init : { ...init, body: JSON.stringify(body) },
      );
      if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
      return (await answer.json()) as Body;
    };
    const memory = async (): Promise<number> => {
      const text = await (await fetch(`${stack.url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes ([\d.e+]+)$/m.exec(text)?.[1] ?? 0) / 1024 / 1024;
    };
    const { id } = await send<RoastImport>('POST', '/roast-imports', {});
    // Every format once, then the years.
    const given = [...formatFiles, ...Array.from({ length: files - formatFiles.length }, (_, index) => fileOf(index))];
    let over = false;
    const warm = performance.now();
    await askUntil(stack.url, cookie, () => performance.now() - warm > 2000);
    const quietEnd = performance.now() + 15_000;
    const quiet = await askUntil(stack.url, cookie, () => performance.now() > quietEnd);
    const memoryBefore = await memory();
    let memoryMost = memoryBefore;
    const asking = askUntil(stack.url, cookie, () => over);
    const from = performance.now();
    const state = () => send<RoastImport>('GET', `/roast-imports/${id}`);
    const until = async (done: (one: RoastImport) => boolean): Promise<RoastImport> => {
      for (;;) {
        const one = await state();
        memoryMost = Math.max(memoryMost, await memory());
        if (done(one)) return one;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    };
    const waiting = [...given];
    const sender = async (): Promise<void> => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const answer = await fetch(
          `${stack.url}/api/v1/roast-imports/${id}/files?file_name=${encodeURIComponent(file.name)}`,
          { method: 'POST', headers: { cookie, 'content-type': 'application/octet-stream' }, body: file.bytes },
        );
        await answer.arrayBuffer();
        if (answer.status !== 201) throw new Error(`a file was answered with ${answer.status}`);
      }
    };
    await Promise.all(Array.from({ length: sendersAtOnce }, sender));
    const sentMs = performance.now() - from;
    const read = await until((one) => one.waiting === 0);
    const readMs = performance.now() - from;
    say(
      `${given.length} files: sent in ${Math.round(sentMs / 1000)} s, read in ${Math.round(readMs / 1000)} s, ${read.ready} can be imported`,
    );
    await send('POST', `/roast-imports/${id}/start`, {});
    const done = await until((one) => one.state === 'done');
    const allMs = performance.now() - from;
    over = true;
    const busy = await asking;
    say(`imported ${done.imported} in ${Math.round(allMs / 1000)} s; problems: ${JSON.stringify(done.problems)}`);
    say(`a page of roasts: ${quiet.length} answers without, ${busy.length} during the import`);
    say(`median ${percentile(quiet, 0.5).toFixed(1)} ms without, ${percentile(busy, 0.5).toFixed(1)} ms during`);
    return [
      {
        what: `${given.length} files sent, read and imported`,
        value: allMs / 1000,
        unit: 's',
        aim: { of: 'value', atMost: 300 },
      },
      {
        what: 'p99 of a page of roasts during the import',
        value: percentile(busy, 0.99),
        unit: 'ms',
        against: { what: 'without', value: percentile(quiet, 0.99) },
        aim: { of: 'ratio', atMost: 1.2 },
      },
      {
        what: 'resident memory of the api at most',
        value: memoryMost,
        unit: 'MB',
        against: { what: 'before', value: memoryBefore },
      },
    ];
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'Years of files are imported beside the api', onlyWhenNamed: true, run } satisfies Bench;
