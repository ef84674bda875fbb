import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { expect, it } from 'vitest';
import { createSseStream } from './sse-stream.ts';
import { createUnreadAnswers, usualAnswerLimits } from './unread-answers.ts';

const kilobyte = 1024;
const live = { total: 1000 * kilobyte, perAddress: 800 * kilobyte, perReader: 300 * kilobyte };
const open = () => {
  const answers = createUnreadAnswers(createVirtualClock(), { ...usualAnswerLimits, live });
  const streamOf = (id: string, address = '203.0.113.9') => {
    const unread = answers.open('live', { address, id });
    const stream = createSseStream(unread, unread.release);
    return { ...stream, reader: stream.body.getReader() };
  };
  return { answers, streamOf };
};
const event = new Uint8Array(100 * kilobyte);

it('event streams: silence holds nothing, however many are open, and what was read is given back', async () => {
  const { answers, streamOf } = open();
  const streams = Array.from({ length: 60 }, () => streamOf('ana'));
  for (const { send, reader } of streams) {
    send(event);
    expect((await reader.read()).value).toHaveLength(event.length);
  }
  expect(answers.heldBytes('live')).toBe(0);
});

it('event streams: one with more unread than the share of its reader allows ends, and those of others go on', async () => {
  const { answers, streamOf } = open();
  const [first, second, other] = [streamOf('ana'), streamOf('ana'), streamOf('tomo')];
  first.send(event);
  first.send(event);
  second.send(event);
  second.send(event);
  await expect(second.reader.read()).rejects.toThrow('too slow');
  other.send(event);
  expect((await other.reader.read()).value).toHaveLength(event.length);
  expect(answers.heldBytes('live')).toBe(2 * event.length);
  first.close();
  expect(answers.heldBytes('live')).toBe(0);
});

it('unread answers: one network is refused at the share of an address, others until all together hold too much', () => {
  const { answers } = open();
  const hold = (address: string, id: string) => answers.open('live', { address, id }).hold(250 * kilobyte);
  // The addresses of one IPv6 network count together.
  for (const [place, address] of ['2001:db8::1', '2001:db8::2', '2001:db8::3'].entries()) hold(address, `${place}`);
  expect(() => hold('2001:db8::4', 'next')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  hold('2001:db8:0:1::1', 'neighbour');
  expect(() => hold('203.0.113.9', 'another')).toThrow(
    expect.objectContaining({ code: 'not_ready', retryAfterSeconds: 30 }),
  );
});
