import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Bench } from '@roastery/testing/bench';
import { fuzzAlarmMs, runFuzz } from '@roastery/testing/fuzz/run-fuzz';

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 200_000);
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

const run: Bench['run'] = async (say) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roastery-fuzz-'));
  try {
    say(`FUZZ_SEED=${seed}`);
    const began = performance.now();
    const { sent, byStatus, faults, alarms, lateForOthers, longestBusyMs } = await runFuzz({
      dataDir,
      seed,
      requests,
      say,
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`seed ${seed}: ${sent} requests in ${seconds} s; ${JSON.stringify(byStatus)}`);
    say(`late because other programs ran: ${lateForOthers} times`);
    return [
      { what: 'requests as admin and user', value: sent, unit: 'requests', aim: { of: 'value', atLeast: requests } },
      {
        what: '5xx, missing answers, deaths, logged errors',
        value: faults.length,
        unit: '',
        aim: { of: 'value', atMost: 0 },
      },
      {
        what: `event loop late by more than ${fuzzAlarmMs} ms`,
        value: alarms.length,
        unit: 'times',
        aim: { of: 'value', atMost: 0 },
      },
      { what: 'longest of them', value: longestBusyMs, unit: 'ms' },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};

export default {
  title: `Requests generated from the OpenAPI document: ${requests.toLocaleString('en-US')} as admin and as user`,
  onlyWhenNamed: true,
  mustReach: true,
  run,
} satisfies Bench;
