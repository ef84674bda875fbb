import { pythonRepr } from '@roastery/roasting/artisan/python-repr';
import { describe, expect, it } from 'vitest';
import { readRoastFile } from './read-roast-file.ts';

const times = Array.from({ length: 300 }, (_, sample) => sample * 2);
const alog = (more: Readonly<Record<string, number>>): Uint8Array =>
  new TextEncoder().encode(
    pythonRepr({
      mode: 'C',
      timex: times,
      temp1: times.map(() => 220),
      temp2: times.map((second) => 90 + second / 5),
      timeindex: [0, 0, 0, 0, 0, 0, 299, 0],
      ...more,
    }),
  );

describe('numbers of a file that no roast has', () => {
  it.each([
    [{ ground_color: 412 }, { color: null }, /The color of the file, 412, is impossible: left out/],
    [{ ground_color: 92.1 }, { color: 92.1 }, undefined],
  ])('%j: are left out with a remark, whichever way the file comes', async (more, facts, remark) => {
    const { roast } = await readRoastFile(alog(more), {});
    expect(roast.facts).toMatchObject(facts);
    expect(roast.warnings.some((sentence) => remark?.test(sentence) === true)).toBe(remark !== undefined);
  });

  it('a cupping score of 110 in our own workbook or file is left out', async () => {
    const record = {
      v: 1,
      recorded_at: '2026-11-21T07:40:00.000Z',
      facts: {
        coffee_name: 'Guji',
        coffee_origin: null,
        coffee_process: null,
        machine_name: null,
        roasted_by: null,
        profile_name: null,
        roast_number: null,
        roast_level: null,
        batch_size_kg: 5,
        end_weight_kg: null,
        color: null,
        cupping_score: 110,
        notes: null,
      },
      marks: [],
    };
    const bytes = new TextEncoder().encode(
      pythonRepr({
        mode: 'C',
        timex: times,
        temp1: times.map(() => 220),
        temp2: times.map((second) => 90 + second / 5),
        timeindex: [0, 0, 0, 0, 0, 0, 299, 0],
        roastery_record: record,
      }),
    );
    const { roast } = await readRoastFile(bytes, {});
    expect(roast.facts).toMatchObject({ coffee_name: 'Guji', batch_size_kg: 5, cupping_score: null });
    expect(roast.warnings.join()).toMatch(/The cupping score of the file, 110, is impossible: left out/);
  });
});
