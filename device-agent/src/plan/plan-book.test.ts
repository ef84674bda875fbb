import { describe, expect, it } from 'vitest';
import { planOf } from '../testing/roast-plan.ts';
import { emptyPlanBook, planBookShape, resumed, withCharge, withEnd, withPlans, type PlanBook } from './plan-book.ts';

const [first, second] = [planOf(1), planOf(2)];
const waiting = withPlans(emptyPlanBook, [first, second], null);
const seen = ({ waiting: left, running }: PlanBook) => [running?.plan.id ?? null, left.map(({ id }) => id)];

describe('plan book', () => {
  it('gives each charge the first waiting plan, once', () => {
    const charged = withCharge(waiting, 'roast');
    expect(seen(charged)).toEqual([first.id, [second.id]]);
    const ended = withEnd(charged, 'roast', false);
    expect(seen(withPlans(ended, [first, second], null))).toEqual([null, [second.id]]);
    expect(seen(withCharge(withCharge(ended, 'next'), 'third'))).toEqual([null, []]);
  });

  it('returns the plan of a retracted charge to the queue', () => {
    const none = withEnd(withCharge(waiting, 'roast'), 'roast', true);
    expect(seen(none)).toEqual([null, [first.id, second.id]]);
    expect(seen(withPlans(none, [first], null))).toEqual([null, [first.id]]);
  });

  it('drops a plan that was cancelled after its charge, unless the server plans it again', () => {
    const charged = withCharge(waiting, 'roast');
    const cancelled = withPlans(charged, [second], 'roast');
    // The roast continues with the plan that it took.
    expect(seen(cancelled)).toEqual([first.id, [second.id]]);
    const none = withEnd(cancelled, 'roast', true);
    expect(seen(none)).toEqual([null, [second.id]]);
    expect(seen(withPlans(none, [first, second], null))).toEqual([null, [first.id, second.id]]);
    const unheard = withPlans(cancelled, [first, second], 'roast');
    expect(seen(withEnd(unheard, 'roast', true))).toEqual([null, [first.id, second.id]]);
    expect(planBookShape.parse(JSON.parse(JSON.stringify(cancelled)))).toEqual(cancelled);
  });

  it('follows the server where it knows the plan of the running roast', () => {
    const bound = { ...second, roast_id: 'roast' };
    expect(seen(withPlans(emptyPlanBook, [bound, first], 'roast'))).toEqual([second.id, [first.id]]);
    expect(seen(withPlans(emptyPlanBook, [bound, first], 'other'))).toEqual([null, [first.id]]);
    expect(seen(withPlans(waiting, [], null))).toEqual([null, []]);
  });

  it('follows the journal where the file is older than the charge', () => {
    expect(seen(resumed(waiting, 'roast', second.id))).toEqual([second.id, [first.id]]);
    expect(seen(resumed(waiting, 'roast', undefined))).toEqual([null, [first.id, second.id]]);
    const charged = withCharge(waiting, 'roast');
    expect(resumed(charged, 'roast', undefined)).toBe(charged);
    expect(seen(resumed(charged, null, undefined))).toEqual([null, [second.id]]);
  });
});
