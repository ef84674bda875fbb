import { probeMessageShape, type ProbeMessage, type ProbeRequest } from '@roastery/contract/probe';
import { createLogger } from '@roastery/runtime/logger';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import type { BusAnswer, BusRequest } from '../machine/bus.ts';
import { startScriptedServer } from '../testing/modbus-server.ts';
import { createBoardProbe } from './board-probe.ts';

const id = '0198c0de-0000-7000-8000-0000000000aa';
const otherId = '0198c0de-0000-7000-8000-0000000000bb';
const look = (over: Partial<Extract<ProbeRequest, { do: 'look' }>> = {}): ProbeRequest => ({
  v: 1,
  do: 'look',
  id,
  expires_at: 20_000,
  lasts_s: 60,
  wish: { units: [1], tables: ['holding'], from: 0, count: 96, usual_places: false },
  ...over,
});

const bench = (answer: (request: BusRequest) => BusAnswer, port = 1) => {
  const clock = createVirtualClock();
  const sent: ProbeMessage[] = [];
  let roasting = false;
  const probe = createBoardProbe({
    read: (request) => Promise.resolve(answer(request)),
    map: () => ({ link: { kind: 'tcp', host: '127.0.0.1', port }, unit: 7 }),
    lendLine: (work) => work(),
    roastRuns: () => roasting,
    // Encoded as sent: a message that the server would refuse fails here.
    send: async (message) => void sent.push(probeMessageShape.parse(JSON.parse(JSON.stringify(message)))),
    now: () => ({ wall: 10_000, synced: true }),
    log: createLogger('test', 'silent'),
    perSecond: 1000,
    clock,
  });
  const until = async (is: (message: ProbeMessage) => boolean): Promise<ProbeMessage> => {
    await clock.until('the message', () => sent.some(is), 60_000);
    const found = sent.find(is);
    if (found === undefined) throw new Error('the message is gone');
    return found;
  };
  const ended = (reason: string) => until((message) => message.k === 'ended' && message.reason === reason);
  return { clock, sent, probe, until, ended, beginRoast: () => (roasting = true) };
};
const words = ({ start, count }: BusRequest): BusAnswer => ({
  kind: 'data',
  words: Array.from({ length: count }, (_, index) => start + index),
});

describe('board probe through the running agent', () => {
  it('reports the found registers, then reads them each second until a stop request', async () => {
    const { sent, probe, until, ended } = bench(words);
    probe.requested(look());
    await until((message) => message.k === 'words' && message.round === 2);
    probe.requested({ v: 1, do: 'stop', id: otherId });
    probe.requested({ v: 1, do: 'stop', id });
    await ended('stopped');
    const seen = sent.flatMap((message) => (message.k === 'words' && message.round === 1 ? message.blocks : []));
    expect(seen.flatMap((block) => block.words)).toEqual(Array.from({ length: 96 }, (_, index) => index));
    const found = sent.flatMap((message) => (message.k === 'words' && message.round === 0 ? message.blocks : []));
    expect(found.flatMap((block) => block.words)).toHaveLength(96);
  });

  it('finds the units of a line while the readings pause', async () => {
    await using server = await startScriptedServer(
      'tcp',
      ({ unit }) => (unit === 2 || unit === 5 ? {} : { exception: 11 }),
      () => 0,
    );
    const { sent, probe, ended } = bench(words, server.port);
    probe.requested({ v: 1, do: 'find', id, expires_at: 20_000, lasts_s: 60, unit: 9 });
    await ended('found');
    expect(sent.find((message) => message.k === 'trying')).toMatchObject({
      asked: 1,
      of: 9,
      where: expect.stringContaining('unit 9'),
    });
    expect(sent.find((message) => message.k === 'line')).toMatchObject({
      units: [2, 5],
      link: { port: server.port },
    });
    expect(new Set(server.requests.map(({ code }) => code))).toEqual(new Set([3]));
  });

  it('keeps every message small, however many registers there are', async () => {
    const { clock, sent, probe, until } = bench(words);
    probe.requested(
      look({ wish: { units: [1], tables: ['holding', 'input'], from: 0, count: 2000, usual_places: false } }),
    );
    await until((message) => message.k === 'words' && message.round === 1);
    const round = (): ProbeMessage[] => sent.filter((message) => message.k === 'words' && message.round === 1);
    await clock.until('four messages', () => round().length >= 4, 60_000);
    expect(Math.max(...sent.map((message) => JSON.stringify(message).length))).toBeLessThan(20_000);
    await clock.run(probe.stop());
    expect(sent.at(-1)).toMatchObject({ k: 'ended', reason: 'board_leaves' });
  });

  it('runs one probe at a time, no expired one, and none during a roast', async () => {
    const { sent, probe, ended, beginRoast } = bench(words);
    probe.requested(look({ id: otherId, expires_at: 9999 }));
    expect(sent.at(-1)).toMatchObject({ id: otherId, reason: 'expired' });
    probe.requested(look());
    probe.requested(look({ id: otherId }));
    expect(sent.at(-1)).toMatchObject({ id: otherId, reason: 'busy' });
    beginRoast();
    probe.afterReading();
    expect(await ended('roast')).toMatchObject({ id, says: expect.stringContaining('after it has ended') });
    probe.requested(look({ id: otherId }));
    expect(sent.at(-1)).toMatchObject({ id: otherId, reason: 'roast' });
  });

  it('gives an instruction when the machine is silent or has no such registers', async () => {
    const silent = bench(() => ({ kind: 'failed', reason: 'no answer within 300 ms' }));
    silent.probe.requested(look());
    expect(await silent.ended('silent')).toMatchObject({ says: expect.stringMatching(/cable.*no answer within 300/) });
    const empty = bench(() => ({ kind: 'exception', code: 2 }));
    empty.probe.requested(look());
    expect(await empty.ended('nothing_found')).toMatchObject({ says: expect.stringContaining('another unit') });
  });
});
