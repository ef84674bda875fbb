import { describe, expect, it } from 'vitest';
import { completedByName } from './named-file.ts';

const nothing = { coffee_name: null, start_time: null, source_batch: null, format: 'alog' } as const;

describe('name of a roast file', () => {
  it.each([
    ['years/2025/25-06-29 Balik.alog', { coffee_name: '25-06-29 Balik', start_time: null, source_batch: null }],
    [
      'IKAWA 2019-12-07 121826.csv',
      { coffee_name: 'IKAWA 2019-12-07 121826', start_time: '2019-12-07T12:18:26.000Z', source_batch: null },
    ],
    ['2021_4_30_17_56_49.csv', { start_time: '2021-04-30T17:56:49.000Z' }],
    ['Batch for Glosli - Batch 995.csv', { coffee_name: 'Batch for Glosli', source_batch: '995' }],
    ['2025-02-31 1200.csv', { start_time: null }],
  ])('%s: completes coffee, moment and batch', (name, expected) => {
    expect(completedByName(name, nothing)).toMatchObject(expected);
  });
  it('adds no coffee to a table, whose lot may have one', () => {
    expect(completedByName('a.csv', { ...nothing, format: 'csv' }).coffee_name).toBeNull();
  });
  it('keeps the facts in the file', () => {
    const facts = {
      coffee_name: 'Guji',
      start_time: '2020-01-01T00:00:00.000Z',
      source_batch: 'P1',
      format: 'csv',
    } as const;
    expect(completedByName('2021_4_30_17_56_49.csv', facts)).toEqual(facts);
  });
});
