import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, get, request } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { formatFiles } from '@roastery/api/testing/format-files';
import type { RoastImport } from '@roastery/contract/roast-imports';
import { startStack } from '@roastery/stack/stack';
import { type Bench, percentile } from '@roastery/testing/bench';
import { signIn } from '@roastery/testing/roastery-client';

const files = Number(process.env['IMPORT_FILES'] ?? 2000);
const filesARound = 100;
const brokenShare = 0.05;
const sendersAtOnce = 2;
/** As the portal sends files of this size. */
const filesOfRequest = 4;
const askedFor = '/api/v1/roasts?limit=25';
const encoder = new TextEncoder();

const inSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const steps = ['sending', 'reading', 'importing'] as const;
/**
 * Controls, without an import: the same requests go to a server that stores nothing, and a process of low priority computes for a
 * quarter of the time. They show what a sender and any other program cost a page on these cores.
 */
const controls = ['sending elsewhere', 'computing beside'] as const;
type Phase = (typeof steps)[number] | (typeof controls)[number] | 'without' | 'between';
type Times = Record<Phase, number[]>;

const connection = new Agent({ keepAlive: true, maxSockets: 1 });

/**
 * Resolves with the status at the last byte. Not with `fetch`: the garbage collection of its streams stops this thread
 * for up to 20 ms, which is longer than all but one of a hundred answers take.
 */
const ask = (url: string, cookie: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { cookie, 'accept-encoding': 'gzip' };
    get(url, { agent: connection, headers }, (answer) => {
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', reject);
      answer.resume();
    }).on('error', reject);
  });

/** Requests a page of roasts repeatedly, in a thread of its own: other work of the bench must not delay it. */
const askUntilEnd = async ({ url, cookie }: { url: string; cookie: string }): Promise<void> => {
  const times: Times = {
    without: [],
    sending: [],
    reading: [],
    importing: [],
    'sending elsewhere': [],
    'computing beside': [],
    between: [],
  };
  const state: { phase: Phase | 'end' } = { phase: 'between' };
  parentPort?.on('message', (next: Phase | 'end') => (state.phase = next));
  for (;;) {
    const { phase } = state;
    if (phase === 'end') break;
    const from = performance.now();
    const status = await ask(`${url}${askedFor}`, cookie);
    if (status !== 200) throw new Error(`a page of roasts was answered with ${status}`);
    times[phase].push(performance.now() - from);
    await sleep(20);
  }
  connection.destroy();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(times);
  parentPort?.close();
};

/** A separate roast: the same curve as the generated CSV, shifted, so that none is a duplicate. */
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

interface SentRequest {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Made before they are sent: that is the work of another computer. */
const requestsOf = (given: readonly ReturnType<typeof fileOf>[]): Promise<SentRequest[]> =>
  Promise.all(
    Array.from({ length: Math.ceil(given.length / filesOfRequest) }, async (_, request) => {
      const form = new FormData();
      for (const { name, bytes } of given.slice(request * filesOfRequest, (request + 1) * filesOfRequest))
        form.append('files', new Blob([bytes]), name);
      const made = new Response(form);
      return { type: made.headers.get('content-type') ?? '', body: new Uint8Array(await made.arrayBuffer()) };
    }),
  );

const senders = new Agent({ keepAlive: true, maxSockets: sendersAtOnce });

/** Sends all requests, a few at a time, each after the answer to the previous one. */
const sendAll = async (url: string, cookie: string, requests: readonly SentRequest[]): Promise<void> => {
  const waiting = [...requests];
  const sendOne = ({ type, body }: SentRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { cookie, 'content-type': type, 'content-length': body.length };
      request(url, { method: 'POST', agent: senders, headers }, (answer) => {
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.resume();
      })
        .on('error', reject)
        .end(body);
    });
  const sender = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const status = await sendOne(next);
      if (status !== 201) throw new Error(`files were answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: sendersAtOnce }, sender));
};

/** Accepts requests and stores nothing; answers after the same time as the api. */
const startSink = async () => {
  let answerMs = 0;
  const server = createServer((asked, answer) => {
    asked.resume().on('end', () => void sleep(answerMs).then(() => answer.writeHead(201).end()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  parentPort?.on('message', (ms: number) => (answerMs = ms));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(`http://127.0.0.1:${port}/`);
};

/** As long as a file is read, with the pauses and the priority of its reader, in its own session like the reader. */
const computing = `
  require('node:os').setPriority(0, 10);
  const numbers = new Float64Array(200_000);
  const compute = () => {
    const end = performance.now() + 5;
    while (performance.now() < end) numbers.fill(performance.now());
    setTimeout(compute, 14);
  };
  compute();`;

/**
 * The files come in rounds, each an import of its own, and after each round the page is requested for the same time
 * without one: other load of the computer, and the number of roasts, then affects both alike.
 */
const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-mass-import-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const { cookie } = await signIn(stack.url, stack.admin);
  const asking = new Worker(new URL(import.meta.url), { workerData: { url: stack.url, cookie } });
  const sink = new Worker(new URL(import.meta.url), { workerData: {} });
  try {
    const [sinkUrl] = (await once(sink, 'message')) as [string];
    // The files are sent as from another computer: here the sender must not use the cores of the server and of the
    // reader.
    setPriority(0, 19);
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
    const spent = { sending: 0, reading: 0, importing: 0 };
    let imported = 0;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    const enter = (phase: Phase | 'end') => asking.postMessage(phase);
    let isMeasured = false;
    const timed = async (what: keyof typeof spent, work: () => Promise<unknown>): Promise<void> => {
      const from = performance.now();
      if (isMeasured) enter(what);
      await work();
      spent[what] += performance.now() - from;
    };
    const importAll = async (given: readonly ReturnType<typeof fileOf>[]): Promise<void> => {
      const { id } = await send<RoastImport>('POST', '/roast-imports', {});
      const until = async (done: (one: RoastImport) => boolean): Promise<RoastImport> => {
        for (;;) {
          const one = await send<RoastImport>('GET', `/roast-imports/${id}`);
          if (done(one)) return one;
          await sleep(500);
        }
      };
      const requests = await requestsOf(given);
      await timed('sending', () => sendAll(`${stack.url}/api/v1/roast-imports/${id}/files`, cookie, requests));
      await timed('reading', () => until((one) => one.waiting === 0));
      await timed('importing', async () => {
        await send('POST', `/roast-imports/${id}/start`, {});
        imported += (await until((one) => one.state === 'done')).imported;
      });
    };
    // Every format once, without measuring: then the page has roasts to show, and the readers and Postgres are warm.
    await importAll(formatFiles);
    const memoryBefore = await memory();
    let memoryMost = memoryBefore;
    spent.sending = spent.reading = spent.importing = 0;
    imported = 0;
    isMeasured = true;
    let allMs = 0;
    for (let first = 0; first < files; first += filesARound) {
      const given = Array.from({ length: Math.min(filesARound, files - first) }, (_, place) => fileOf(first + place));
      const sentBefore = spent.sending;
      const from = performance.now();
      await importAll(given);
      const tookMs = performance.now() - from;
      allMs += tookMs;
      enter('between');
      memoryMost = Math.max(memoryMost, await memory());
      enter('without');
      await sleep(tookMs);
      const requests = await requestsOf(given);
      const sentMs = spent.sending - sentBefore;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      sink.postMessage((sentMs * sendersAtOnce) / requests.length);
      enter('sending elsewhere');
      await sendAll(sinkUrl, cookie, requests);
      enter('computing beside');
      const beside = spawn(process.execPath, ['-e', computing], { detached: true, stdio: 'ignore' });
      await sleep(tookMs / 2);
      beside.kill();
      enter('between');
    }
    const answered = once(asking, 'message');
    enter('end');
    const [times] = (await answered) as [Times];
    const { without } = times;
    const during = steps.flatMap((step) => times[step]);
    say(
      `${files} files: sent in ${inSeconds(spent.sending)}, read in ${inSeconds(spent.reading)} more, ${imported} imported in ${inSeconds(spent.importing)}`,
    );
    say(`a page of roasts: ${without.length} answers without, ${during.length} during an import`);
    for (const step of [...steps, ...controls])
      say(`${step}: ${times[step].length} answers, 99 % within ${percentile(times[step], 0.99).toFixed(1)} ms`);
    for (const share of [0.5, 0.9]) {
      const [quiet, busy] = [percentile(without, share), percentile(during, share)];
      say(`${share * 100} % within ${quiet.toFixed(1)} ms without, ${busy.toFixed(1)} ms during`);
    }
    return [
      {
        what: `${files} files sent, read and imported`,
        value: allMs / 1000,
        unit: 's',
        aim: { of: 'value', atMost: 300 },
      },
      {
        what: 'p99 of a page of roasts during the import',
        value: percentile(during, 0.99),
        unit: 'ms',
        against: { what: 'without', value: percentile(without, 0.99) },
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
    senders.destroy();
    await Promise.all([asking.terminate(), sink.terminate()]);
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

if (!isMainThread) {
  const given = workerData as { url?: string; cookie: string };
  await (given.url === undefined ? startSink() : askUntilEnd({ url: given.url, cookie: given.cookie }));
}

export default { title: 'Years of files are imported beside the api', onlyWhenNamed: true, run } satisfies Bench;
