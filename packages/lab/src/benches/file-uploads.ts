import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostileFiles, largeCsv } from '@roastery/api/testing/hostile-files';
import { uploadRoastFile } from '@roastery/contract/imports';
import { startStack } from '@roastery/stack/stack';
import type { Bench, Measurement } from '@roastery/testing/bench';
import { endpointUrl, signIn } from '@roastery/testing/roastery-client';

const atOnce = 10;
const rounds = 3;
const p99 = 'nodejs_eventloop_lag_p99_seconds';

/** A gauge of the api, in ms. The api restarts its window with every reading. */
const readLag = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = new RegExp(`^${name} ([\\d.e+-]+)$`, 'm').exec(text)?.[1];
  if (seconds === undefined) throw new Error(`the api's metrics have no ${name}`);
  return Number(seconds) * 1000;
};

/** An idle api beside the busy one shows the computer's own delay at that time. */
const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-file-uploads-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  const idle = await startStack({ dataDir: join(folder, 'idle') });
  try {
    const { cookie } = await signIn(stack.url, stack.admin);
    const upload = async (bytes: Uint8Array<ArrayBuffer>): Promise<number> => {
      const url = endpointUrl(stack.url, uploadRoastFile, {}, { file_name: 'bench' });
      const headers = { 'content-type': 'application/octet-stream', cookie };
      const answer = await fetch(url, { method: 'POST', headers, body: bytes });
      await answer.arrayBuffer();
      if (answer.status >= 500) throw new Error(`an upload was answered with ${answer.status}`);
      return answer.status;
    };
    const both = [stack.url, idle.url] as const;
    const readBoth = () => Promise.all(both.map((url) => readLag(url, p99)));
    const measure = async (what: string, files: readonly Uint8Array<ArrayBuffer>[]): Promise<Measurement> => {
      const lags: number[] = [];
      const beside: number[] = [];
      const from = performance.now();
      for (let round = 0; round < rounds; round++) {
        await readBoth();
        const statuses = await Promise.all(files.map(upload));
        const [busyLag = 0, idleLag = 0] = await readBoth();
        lags.push(busyLag);
        beside.push(idleLag);
        say(`${what}: ${statuses.join(' ')}, p99 ${busyLag.toFixed(1)} ms, idle ${idleLag.toFixed(1)} ms`);
      }
      say(`${what}: ${Math.round((performance.now() - from) / rounds)} ms a round`);
      return {
        what: `event loop of the api, p99 delay: ${what}`,
        value: Math.max(...lags),
        unit: 'ms',
        against: { what: 'idle api beside it', value: Math.max(...beside) },
        aim: { of: 'value', atMost: 100 },
      };
    };
    // The files that take a reader longest, and the largest.
    const hostile = [...hostileFiles]
      .filter(({ bytes }) => bytes.length <= 10 * 1024 * 1024)
      .sort((a, b) => b.bytes.length - a.bytes.length)
      .slice(0, atOnce)
      .map(({ bytes }) => bytes);
    const large = largeCsv();
    return [
      await measure('ten hostile files at once', hostile),
      await measure(
        'ten honest files of 10 MB at once',
        Array.from({ length: atOnce }, () => large),
      ),
    ];
  } finally {
    await Promise.all([stack.close(), idle.close()]);
    await rm(folder, { recursive: true, force: true });
  }
};

export default { title: 'Files are read beside the api', mustReach: true, run } satisfies Bench;
