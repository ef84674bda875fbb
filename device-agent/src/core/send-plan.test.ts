import { describe, expect, it } from 'vitest';
import { createSendPlan } from './send-plan.ts';

const limits = { maxEntries: 100, window: 32, reserved: 4, resendMs: 10_000 };
const planWith = (...ranges: [number, number][]) => {
  const plan = createSendPlan(limits);
  plan.offer(ranges);
  plan.connected();
  return plan;
};
const drain = (plan: ReturnType<typeof createSendPlan>, now = 0) => {
  const sent: [number, number][] = [];
  for (let next = plan.next(); next; next = plan.next()) {
    plan.sent(next.from, next.to, now);
    sent.push([next.from, next.to]);
  }
  return sent;
};

describe('send plan', () => {
  it('sends new entries before a backlog of days', () => {
    const plan = planWith([0, 99_999]);
    plan.offer([[100_000, 100_003]]);
    expect(plan.next()).toEqual({ from: 100_000, to: 100_003, backlog: false });
  });

  it('sends the backlog from its newest end, which contains the running roast', () => {
    expect(planWith([0, 999]).next()).toEqual({ from: 900, to: 999, backlog: true });
  });

  it('reserves slots of the window for new entries while the backlog is sent', () => {
    const plan = planWith([0, 99_999]);
    drain(plan);
    plan.offer([[100_000, 100_003]]);
    expect(plan.next()).toMatchObject({ backlog: false });
  });

  it('never has more than 32 batches in flight', () => {
    const plan = planWith([0, 99_999]);
    for (let round = 0; round < 10; round++) {
      const sent = drain(plan);
      expect(plan.inFlightCount()).toBeLessThanOrEqual(32);
      plan.acknowledged(sent);
    }
    drain(plan);
    for (let seq = 100_000; seq < 100_100; seq += 2) {
      plan.offer([[seq, seq]]);
      drain(plan);
    }
    expect(plan.inFlightCount()).toBe(32);
  });

  it('sends every entry exactly once when all are acknowledged', () => {
    const plan = planWith([0, 9999]);
    const times = new Map<number, number>();
    for (let sent = drain(plan); sent.length > 0; sent = drain(plan)) {
      for (const [from, to] of sent) for (let seq = from; seq <= to; seq++) times.set(seq, (times.get(seq) ?? 0) + 1);
      plan.acknowledged(sent);
    }
    expect(times.size).toBe(10_000);
    expect([...times.values()].every((count) => count === 1)).toBe(true);
    expect(plan.outstanding()).toBe(0);
  });

  it('sends unacknowledged entries again, in small batches until one is acknowledged', () => {
    const plan = planWith([0, 9999]);
    drain(plan, 0);
    expect(plan.takeOverdue(9999)).toBe(0);
    expect(plan.takeOverdue(10_000)).toBeGreaterThan(0);
    expect(plan.outstanding()).toBe(10_000);
    expect(drain(plan, 10_000).length).toBeLessThanOrEqual(2);
    plan.acknowledged([[9900, 9999]]);
    expect(drain(plan, 10_000).length).toBeGreaterThan(0);
  });

  it('sends again after 6 s what it sent first to one of several brokers', () => {
    const plan = planWith([0, 0]);
    plan.connected(true);
    plan.sent(0, 0, 0);
    expect(plan.takeOverdue(5999)).toBe(0);
    expect(plan.takeOverdue(6000)).toBe(1);
    plan.sent(0, 0, 6000);
    plan.acknowledged([[0, 0]]);
    plan.sent(1, 1, 7000);
    expect(plan.takeOverdue(16_999)).toBe(0);
    expect(plan.takeOverdue(17_000)).toBe(1);
  });

  it('sends what was lost with an overdue batch in one, and waits for none of it longer', () => {
    const plan = planWith();
    for (let seq = 0; seq < 10; seq++) {
      plan.offer([[seq, seq]]);
      drain(plan, seq * 1000);
      if (seq > 6) plan.acknowledged([[7, seq]]);
    }
    expect(plan.takeOverdue(10_000)).toBe(7);
    expect(drain(plan, 10_000)).toEqual([[0, 6]]);
  });

  it('sends again sooner what was sent again, then at longer intervals, until an acknowledgement', () => {
    const plan = planWith([0, 0]);
    const sentAt: number[] = [];
    const run = (from: number, to: number): void => {
      for (let now = from; now <= to; now += 500) {
        plan.takeOverdue(now);
        if (drain(plan, now).length > 0) sentAt.push(now);
      }
    };
    run(0, 45_000);
    expect(sentAt).toEqual([0, 10_000, 13_000, 19_000, 29_000, 39_000]);
    plan.acknowledged([[0, 0]]);
    sentAt.length = 0;
    plan.offer([[1, 1]]);
    run(50_000, 63_000);
    expect(sentAt).toEqual([50_000, 60_000, 63_000]);
  });

  it('returns all batches to the queue on a new connection', () => {
    const plan = planWith([0, 9]);
    drain(plan);
    expect(plan.next()).toBeUndefined();
    plan.connected();
    expect(plan.next()).toEqual({ from: 0, to: 9, backlog: true });
  });

  it('keeps the unacknowledged part of a batch waiting', () => {
    const plan = planWith([0, 9]);
    drain(plan, 0);
    plan.acknowledged([[0, 3]]);
    plan.takeOverdue(10_000);
    expect(plan.next()).toEqual({ from: 4, to: 9, backlog: true });
  });

  it('never requests dropped entries', () => {
    const plan = planWith([0, 9]);
    plan.forget(0, 9);
    expect(plan.next()).toBeUndefined();
    expect(plan.outstanding()).toBe(0);
  });
});
