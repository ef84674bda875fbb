import { expect, it } from 'vitest';
import { begun, streamOf } from './streamed-answer.ts';

const source = (ended: string[]) =>
  (async function* () {
    try {
      yield 'head\n';
      yield 'row 1\n';
      yield 'row 2\n';
    } finally {
      ended.push('ended');
    }
  })();

it('streamed answer: sends a file completely once it has begun', async () => {
  const ended: string[] = [];
  const text = await new Response(streamOf(await begun(source(ended)))).text();
  expect(text).toBe('head\nrow 1\nrow 2\n');
  expect(ended).toEqual(['ended']);
});

it('streamed answer: returns an error when it cannot begin', async () => {
  const broken = (async function* () {
    await Promise.reject(new Error('no rows'));
    yield 'head\n';
  })();
  await expect(begun(broken)).rejects.toThrow('no rows');
});

it('streamed answer: creates nothing more after the client has disconnected', async () => {
  const ended: string[] = [];
  for await (const piece of await begun(source(ended))) {
    expect(piece).toBe('head\n');
    break;
  }
  expect(ended).toEqual(['ended']);
});
