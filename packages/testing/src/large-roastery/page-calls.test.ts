import { expect, it } from 'vitest';
import { pageCalls, type Samples } from './page-calls.ts';
import { sampleWords } from './find-samples.ts';

const id = '018f0000-0000-7000-8000-000000000000';
const samples: Samples = {
  ids: {
    machine: [id],
    roast: [id],
    blend: [id],
    plan: [id],
    lot: [id],
    recipe: [id],
    recipeWithCurves: [id],
    upload: [id],
    import: [id],
    lotImport: [id],
    map: [id],
  },
  words: sampleWords('2025-11-21', '2026-11-21'),
};

it('covers everything that pages request, with each filter and sort', () => {
  const asked = pageCalls(samples, true).map(({ what }) => what);
  expect(asked).toEqual(expect.arrayContaining(['listRoasts', 'listRoasts sort=-drop_temp', 'listLots last page']));
  expect(new Set(asked).size).toBe(asked.length);
  for (const { endpoint, query, what } of pageCalls(samples, true)) {
    // An input that the contract would refuse stops the bench only after minutes.
    expect(endpoint.query?.safeParse(query).success ?? true, what).toBe(true);
  }
  expect(pageCalls(samples, false).some(({ endpoint }) => endpoint.access === 'admin')).toBe(false);
});
