import { ackShape } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { describe, expect, it } from 'vitest';
import { createAcknowledgements } from './acknowledgements.ts';

const epoch = '00112233445566aa';
const board = (start: number, end: number, held = 0) => ({
  serialNumber: 'RM15-1',
  epoch,
  ranges: [{ start: held, end }],
  covered: [{ start, end }],
});

/** Acknowledgements on a clock that the test controls. `sent`: the acknowledged entries as inclusive ranges. */
const startAt = (ms: number) => {
  const clock = { ms };
  const sent: [number, number][][] = [];
  const acknowledgements = createAcknowledgements(
    (messages) => {
      for (const { payload } of messages) sent.push(parseJson(ackShape, payload).data?.ranges ?? []);
    },
    () => clock.ms,
  );
  return { clock, sent, acknowledgements };
};

describe('acknowledgements', () => {
  it('sends the first batch of a stream without delay, the next one within half a second', () => {
    const { clock, sent, acknowledgements } = startAt(10_000);
    acknowledgements.add([board(0, 5)]);
    expect(sent).toEqual([[[0, 4]]]);
    clock.ms += 400;
    acknowledgements.add([board(5, 6)]);
    expect(sent).toHaveLength(1);
    acknowledgements.close();
    expect(sent).toEqual([[[0, 4]], [[0, 5]]]);
  });

  it('sends one acknowledgement per batch to a board that sends a batch a second', () => {
    const { clock, sent, acknowledgements } = startAt(10_000);
    for (let second = 0; second < 5; second++) {
      acknowledgements.add([board(second, second + 1)]);
      clock.ms += 1000;
    }
    acknowledgements.close();
    expect(sent).toHaveLength(5);
  });

  it('does not delay a batch whose commit follows the previous one in slightly less than a second', () => {
    const { clock, sent, acknowledgements } = startAt(10_000);
    for (const jitterMs of [0, 120, 0, 90, 10, 0]) {
      const before = sent.length;
      clock.ms += jitterMs;
      acknowledgements.add([board(before, before + 1)]);
      expect(sent).toHaveLength(before + 1);
      clock.ms += 1000 - jitterMs;
    }
    acknowledgements.close();
  });

  it('does not delay a board that has two unacknowledged batches', () => {
    const { clock, sent, acknowledgements } = startAt(10_000);
    acknowledgements.add([board(0, 600)]);
    clock.ms += 50;
    acknowledgements.add([board(600, 1200)]);
    acknowledgements.add([board(1200, 1800)]);
    expect(sent).toEqual([[[0, 599]], [[0, 1799]]]);
    acknowledgements.close();
  });

  it('sends pending acknowledgements without a further commit', async () => {
    const { clock, sent, acknowledgements } = startAt(10_000);
    acknowledgements.add([board(0, 1)]);
    acknowledgements.add([board(1, 2)]);
    clock.ms += 1000;
    await expect.poll(() => sent.length).toBe(2);
    acknowledgements.close();
    expect(sent).toHaveLength(2);
  });

  it('limits the ranges of an unknown machine to those that its messages claimed', () => {
    const { sent, acknowledgements } = startAt(10_000);
    acknowledgements.add([board(0, 5)]);
    acknowledgements.add([board(10, 12, 10)]);
    acknowledgements.add([board(20, 22, 20)]);
    expect(sent).toEqual([
      [[0, 4]],
      [
        [10, 11],
        [20, 21],
      ],
    ]);
    acknowledgements.close();
  });
});
