import { createAcknowledgements } from '@roastery/api/ingest/acknowledgements';
import { withRange, type SeqRange, type SeqRanges } from '@roastery/api/db/seq-ranges';
import { ackShape } from '@roastery/contract/mqtt';
import { parseJson } from '@roastery/contract/parse-shape';
import { createSendPlan } from '@roastery/device-agent/core/send-plan';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';

const epoch = '00112233445566aa';
const hour = 3600;
const agents = { maxEntries: 600, reserved: 4, resendMs: 10_000 };

/**
 * A board with an agent's send plan that cuts an entry each second, and a server that commits. `overdue`: batches that the
 * board sent again.
 */
const startBoard = ({ window = 32, transitMs = 30, commitMs = 250, backlog = 0 } = {}) => {
  const clock = createVirtualClock();
  const plan = createSendPlan({ ...agents, window });
  const counts = { sent: 0, overdue: 0, acknowledgements: 0 };
  let committed: SeqRanges = [];
  let next = backlog;
  if (backlog > 0) plan.offer([[0, backlog - 1]]);
  plan.connected();
  const acknowledgements = createAcknowledgements((messages) => {
    counts.acknowledgements += messages.length;
    clock.after(transitMs, () => {
      for (const { payload } of messages) plan.acknowledged(parseJson(ackShape, payload).data?.ranges ?? []);
      ship();
    });
  }, clock);
  const receive = (range: SeqRange): void => {
    const receivedAtMs = clock.now();
    clock.after(commitMs, () => {
      committed = withRange(committed, range);
      acknowledgements.add([
        { serialNumber: 'RM15-1', epoch, ranges: committed, covered: [{ ...range, receivedAtMs }] },
      ]);
    });
  };
  const ship = (): void => {
    counts.overdue += plan.takeOverdue(clock.now());
    for (let batch = plan.next(); batch; batch = plan.next()) {
      const { from, to } = batch;
      plan.sent(from, to, clock.now());
      counts.sent += 1;
      clock.after(transitMs, () => receive({ start: from, end: to + 1 }));
    }
  };
  ship();
  clock.every(1000, () => {
    plan.offer([[next, next]]);
    next += 1;
    ship();
  });
  return { clock, counts, waiting: () => plan.outstanding() };
};

/** The second is that of the earlier streams of a board, the third one that of agents in the field. */
const windows = [32, 8, 2];

describe('merged acknowledgements', () => {
  it.each([0, 1000, 4000])('let no board send a batch twice in an hour of roasting, commits take %d ms', (commitMs) => {
    const { clock, counts } = startBoard({ commitMs });
    clock.pass(hour * 1000);
    expect(counts.overdue).toBe(0);
    expect(counts.sent).toBe(hour);
  });

  it('are a quarter of the batches of a roast', () => {
    const { clock, counts } = startBoard();
    clock.pass(hour * 1000);
    expect(counts.acknowledgements / counts.sent).toBeLessThan(0.26);
  });

  it.each(windows)('let a board with a window of %d send a day as fast as the server commits', (window) => {
    const day = 24 * hour;
    const { clock, counts, waiting } = startBoard({ window, backlog: day });
    // One batch after the other in the smallest window, each with its way, commit and acknowledgement.
    clock.pass((day / agents.maxEntries) * 310 + 10_000);
    expect(counts.overdue).toBe(0);
    expect(waiting()).toBeLessThan(10);
  });

  it.each(windows)('keep nothing waiting for more than five seconds in a window of %d on a slow line', (window) => {
    const { clock, counts, waiting } = startBoard({ window, transitMs: 600 });
    clock.pass(hour * 1000);
    expect(counts.overdue).toBe(0);
    expect(waiting()).toBeLessThan(8);
  });
});
