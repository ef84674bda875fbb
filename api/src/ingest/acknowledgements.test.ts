import { ackShape } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAcknowledgements } from './acknowledgements.ts';

const epoch = '00112233445566aa';
const second = 1000;

/**
 * Acknowledgements on a clock that the test controls. `sent`: the acknowledged entries as inclusive ranges.
 * @param firstDue after so many merged batches the second acknowledgement is sent
 */
const start = (firstDue = 4) => {
  vi.spyOn(Math, 'random').mockReturnValue((firstDue - 1) / 4);
  const clock = createVirtualClock();
  const sent: [number, number][][] = [];
  const acknowledgements = createAcknowledgements((messages) => {
    for (const { payload } of messages) sent.push(parseJson(ackShape, payload).data?.ranges ?? []);
  }, clock);
  return {
    clock,
    sent,
    acknowledgements,
    /** Commits a batch that arrived a while ago; all entries from `held` on are committed. */
    commit: (from: number, end: number, { held = 0, ageMs = 0 } = {}): void => {
      const covered = [{ start: from, end, receivedAtMs: clock.now() - ageMs }];
      acknowledgements.add([{ serialNumber: 'RM15-1', epoch, ranges: [{ start: held, end }], covered }]);
    },
  };
};

describe('acknowledgements', () => {
  afterEach(() => vi.restoreAllMocks());

  it('sends the first batch of a stream without delay, and one for four batches that a roast sends each second', () => {
    const { clock, sent, commit } = start();
    for (let seq = 0; seq < 13; seq++) {
      commit(seq, seq + 1);
      clock.pass(second);
    }
    expect(sent).toEqual([[[0, 0]], [[0, 4]], [[0, 8]], [[0, 12]]]);
  });

  it('acknowledges boards that came back together in different seconds', () => {
    for (const firstDue of [1, 2, 3, 4]) {
      const { clock, sent, commit } = start(firstDue);
      for (let seq = 0; seq < 9; seq++) {
        commit(seq, seq + 1);
        clock.pass(second);
      }
      expect(sent).toEqual([[[0, 0]], [[0, firstDue]], [[0, firstDue + 4]]]);
    }
  });

  it('sends each batch between roasts without delay', () => {
    const { clock, sent, commit } = start();
    for (let batch = 0; batch < 3; batch++) {
      commit(batch * 15, batch * 15 + 15);
      expect(sent).toHaveLength(batch + 1);
      clock.pass(15 * second);
    }
  });

  it('sends what is pending within 4.25 s of its arrival, also without a further commit', () => {
    const { clock, sent, commit } = start();
    commit(0, 1);
    clock.pass(second);
    commit(1, 2);
    clock.pass(3900);
    expect(sent).toHaveLength(1);
    clock.pass(350);
    expect(sent).toEqual([[[0, 0]], [[0, 1]]]);
  });

  it('sends a batch at once whose commit took long: its board would send it again', () => {
    const { clock, sent, commit } = start();
    commit(0, 1);
    clock.pass(2 * second);
    commit(1, 2, { ageMs: 1000 });
    expect(sent).toHaveLength(1);
    clock.pass(2 * second);
    commit(2, 3, { ageMs: 500 });
    clock.pass(second);
    expect(sent).toHaveLength(2);
    clock.pass(second);
    commit(3, 4, { ageMs: 4000 });
    expect(sent).toHaveLength(3);
  });

  it('does not delay a board whose batches come faster than those of a roast', () => {
    const { clock, sent, commit } = start();
    commit(0, 600);
    for (let batch = 1; batch < 5; batch++) {
      clock.pass(50);
      commit(batch * 600, batch * 600 + 600);
      expect(sent).toHaveLength(batch + 1);
    }
  });

  it('does not delay a board that sends its backlog from the newest end, or sends again', () => {
    const { clock, sent, commit } = start();
    commit(5400, 6000, { held: 5400 });
    clock.pass(second);
    commit(4800, 5400, { held: 4800 });
    expect(sent).toHaveLength(2);
    clock.pass(second);
    commit(6000, 6001);
    expect(sent).toHaveLength(2);
    clock.pass(second);
    commit(6000, 6002);
    expect(sent).toHaveLength(3);
  });

  it('does not delay a board that says that it disconnects, nor the batches that come after it', () => {
    const { clock, sent, acknowledgements, commit } = start();
    commit(0, 1);
    clock.pass(second);
    commit(1, 2);
    acknowledgements.leaves('RM15-1', epoch);
    expect(sent).toEqual([[[0, 0]], [[0, 1]]]);
    clock.pass(second);
    commit(2, 3);
    expect(sent).toHaveLength(3);
    acknowledgements.leaves('RM15-2', epoch);
    expect(sent).toHaveLength(3);
  });

  it('merges again when a board that disconnected is back', () => {
    const { clock, sent, acknowledgements, commit } = start();
    commit(0, 1);
    acknowledgements.leaves('RM15-1', epoch);
    clock.pass(10 * second);
    for (let seq = 1; seq < 5; seq++) {
      commit(seq, seq + 1);
      clock.pass(second);
    }
    expect(sent).toHaveLength(2);
  });

  it('sends what is pending when it ends', () => {
    const { clock, sent, acknowledgements, commit } = start();
    commit(0, 1);
    clock.pass(second);
    commit(1, 2);
    acknowledgements.close();
    expect(sent).toEqual([[[0, 0]], [[0, 1]]]);
  });

  it('limits the ranges of an unknown machine to those that its messages claimed', () => {
    const { clock, sent, acknowledgements, commit } = start();
    commit(0, 5);
    clock.pass(second);
    commit(10, 12, { held: 10 });
    clock.pass(second);
    commit(20, 22, { held: 20 });
    acknowledgements.close();
    expect(sent).toEqual([
      [[0, 4]],
      [
        [10, 11],
        [20, 21],
      ],
    ]);
  });
});
