import type { Figures, GroupFigures, GreenFigures, LotUse, PeriodFigures } from '@roastery/contract/analytics';
import { expect } from 'vitest';
import type { Visitor } from '../visitor.ts';
import { recountFigures } from './figures.ts';
import { dayIn, sumOf, type RawRoast, type RawRows } from './raw-rows.ts';
import { drawnMg, personOf, read, seenBy, type Viewer } from './viewer.ts';

const expectFigures = (actual: Figures, roasts: readonly RawRoast[], about: string): void => {
  for (const [name, value] of Object.entries(recountFigures(roasts))) {
    const found = actual[name as keyof Figures];
    if (value === null || found === null) expect(found, `${about}: ${name}`).toBe(value);
    else expect(found, `${about}: ${name}`).toBeCloseTo(value, 7);
  }
};

/** Figures by every period and every grouping, also of a part of the roasts. */
export const expectAnalytics = async (viewer: Viewer, rows: RawRows): Promise<void> => {
  const { visitor } = viewer;
  const dayOf = dayIn(rows.zone);
  const person = personOf(rows);
  const seen = seenBy(viewer, rows).map((roast) => ({ ...roast, day: dayOf(roast.start_time) }));
  const machine = seen.find((roast) => roast.machine_id !== null)?.machine_id;
  const recipe = seen.find((roast) => roast.profile_id !== null)?.profile_id;
  const middle = seen.map(({ day }) => day).sort()[Math.floor(seen.length / 2)] ?? '2026-01-01';
  const parts: [string, (roast: (typeof seen)[number]) => boolean][] = [
    ['', () => true],
    ['coffee_name=Guji', (roast) => roast.coffee_name === 'Guji'],
    ['roasted_by=Ida', (roast) => person(roast) === 'Ida'],
    [`machine_id=${machine}`, (roast) => roast.machine_id === machine],
    [`profile_id=${recipe}`, (roast) => roast.profile_id === recipe],
    [`from=${middle}`, ({ day }) => day >= middle],
    [`to=${middle}`, ({ day }) => day <= middle],
  ];
  const keys = {
    machine: (roast: RawRoast) => roast.machine_id,
    coffee: (roast: RawRoast) => roast.coffee_name,
    recipe: (roast: RawRoast) => roast.profile_id ?? roast.profile_name,
    person,
  };
  for (const [query, test] of parts) {
    if (query.endsWith('undefined')) continue;
    const roasts = seen.filter(test);
    for (const period of ['day', 'week', 'month']) {
      const answer = await read<{ totals: Figures; periods: PeriodFigures[] }>(
        visitor,
        `/analytics/production?period=${period}&${query}`,
      );
      expectFigures(answer.totals, roasts, `${query} in all`);
      expect(sumOf(answer.periods.map((one) => one.roasts)), `${query} by ${period}`).toBe(roasts.length);
      for (const one of answer.periods) {
        const within = roasts.filter(({ day }) => day >= one.from && day <= one.to);
        expectFigures(one, within, `${query} ${period} ${one.from}`);
      }
    }
    for (const [by, keyOf] of Object.entries(keys)) {
      const { groups, total } = await read<{ groups: GroupFigures[]; total: number }>(
        visitor,
        `/analytics/groups/${by}?limit=500&${query}`,
      );
      expect(total, `${query} by ${by}`).toBe(new Set(roasts.map(keyOf)).size);
      for (const group of groups) {
        const key = by === 'machine' ? group.id : (group.id ?? group.name);
        expectFigures(
          group,
          roasts.filter((roast) => keyOf(roast) === key),
          `${query} ${by} ${group.name}`,
        );
      }
    }
    await expectGreen(visitor, query, roasts, rows);
  }
};

const kgOf = (roasts: readonly RawRoast[]): number => sumOf(roasts.map(drawnMg)) / 1e6;

const expectGreen = async (
  visitor: Visitor,
  query: string,
  roasts: readonly (RawRoast & { day: string })[],
  rows: RawRows,
): Promise<void> => {
  const costs = new Map(rows.lots.map(({ id, cost_per_kg: cost }) => [id, cost]));
  const costOf = (roast: RawRoast): number | null => costs.get(roast.lot_id ?? '') ?? null;
  const expectUse = (actual: GreenFigures, of: readonly RawRoast[], about: string): void => {
    const drawing = of.filter((roast) => drawnMg(roast) > 0);
    expect(actual.roasts, `${about}: roasts`).toBe(drawing.length);
    expect(actual.kg, `${about}: kg`).toBeCloseTo(kgOf(drawing), 6);
    expect(actual.cost, `${about}: cost`).toBeCloseTo(
      sumOf(drawing.map((roast) => (drawnMg(roast) / 1e6) * (costOf(roast) ?? 0))),
      5,
    );
    expect(actual.kg_without_cost, `${about}: without a cost`).toBeCloseTo(
      kgOf(drawing.filter((roast) => costOf(roast) === null)),
      6,
    );
  };
  const green = await read<{
    totals: GreenFigures;
    kg_without_lot: number;
    periods: (GreenFigures & { from: string; to: string })[];
    lots: LotUse[];
    total_lots: number;
  }>(visitor, `/analytics/green?limit=500&${query}`);
  expectUse(green.totals, roasts, `green ${query}`);
  const ended = roasts.filter((roast) => roast.status !== 'in_progress' && drawnMg(roast) === 0);
  expect(green.kg_without_lot, `green ${query}: without a lot`).toBeCloseTo(
    sumOf(ended.map((roast) => roast.batch_size_kg)),
    5,
  );
  for (const one of green.periods) {
    expectUse(
      one,
      roasts.filter(({ day }) => day >= one.from && day <= one.to),
      `green ${query} ${one.from}`,
    );
  }
  const used = new Set(roasts.flatMap((roast) => (drawnMg(roast) > 0 ? [roast.lot_id] : [])));
  expect(green.total_lots, `green ${query}: lots`).toBe(used.size);
  for (const lot of green.lots) {
    expectUse(
      lot,
      roasts.filter((roast) => roast.lot_id === lot.lot_id),
      `green ${query} ${lot.lot_number}`,
    );
  }
};
