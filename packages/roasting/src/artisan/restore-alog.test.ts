import { readdirSync, readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { parseAlog, readDictionary } from './alog.ts';
import type { PythonValue } from './python-literal.ts';
import { pythonRepr } from './python-repr.ts';
import { alogOfDictionary, restoreAlog } from './restore-alog.ts';

const shared = sharedData();
const files = shared.present
  ? ['alog', 'alog2'].flatMap((folder) =>
      readdirSync(shared.path(folder))
        .filter((name) => name.endsWith('.alog'))
        .map((name) => ({ name, text: readFileSync(shared.path(folder, name), 'utf8') })),
    )
  : [];
/** Keys whose values differ, or that only one of both files has. */
const differences = (before: string, after: string): string[] => {
  const [one, other] = [readDictionary(before), readDictionary(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => JSON.stringify(plain(one.get(key))) !== JSON.stringify(plain(other.get(key))),
  );
};
const plain = (value: unknown): unknown =>
  value instanceof Map ? [...value].map(plain) : Array.isArray(value) ? value.map(plain) : value;

describe('restore of an Artisan file', () => {
  it.skipIf(!shared.present)(`restores every key unchanged${shared.title('')}`, () => {
    expect(files.length).toBeGreaterThan(60);
    for (const { name, text } of files) expect(differences(text, restoreAlog(text, {})), name).toEqual([]);
  });

  it.skipIf(!shared.present)(`changes only the keys of changed fields${shared.title('')}`, () => {
    for (const { name, text } of files) {
      const roast = parseAlog(text);
      if (roast.timesSeconds.length === 0) continue;
      const at = roast.timesSeconds[Math.floor(roast.timesSeconds.length / 2)] ?? 0;
      const changed = restoreAlog(text, { title: 'Büro “A”', greenKg: 1.25, marks: { first_crack: at } });
      expect(differences(text, changed).sort(), name).toEqual(['timeindex', 'title', 'weight']);
      const back = parseAlog(changed);
      expect(back.title).toBe('Büro “A”');
      expect(back.greenKg).toBeCloseTo(1.25, 5);
      expect(back.roastedKg).toBe(roast.roastedKg);
      expect(back.marks.find(({ kind }) => kind === 'first_crack')?.timeSeconds).toBe(at);
      expect(back.recordedIn).toBe(roast.recordedIn);
    }
  });

  it('preserves the text of each value and the order of the keys', () => {
    const text = "{'b': 1.0, 'timex': [0.10000, 2e0], 'alarms': [(1, 'x'), None], 'title': 'a'}";
    expect(restoreAlog(text, { title: 'c', record: { v: 1 } })).toBe(
      "{'b': 1.0, 'timex': [0.10000, 2e0], 'alarms': [(1, 'x'), None], 'title': 'c', 'roastery_record': {'v': 1}}\n",
    );
  });

  it('changes the date in the zone of the file, and removes a mark', () => {
    const text = pythonRepr({ timex: [0, 1, 2], timeindex: [0, 1, 0, 0, 0, 0, 2, 0], roasttzoffset: -3600 });
    const back = readDictionary(
      restoreAlog(text, { startedAtMs: Date.UTC(2026, 0, 1, 23, 30), marks: { dry_end: null, charge: null } }),
    );
    expect([back.get('roastisodate'), back.get('roasttime')]).toEqual(['2026-01-02', '00:30:00']);
    expect(back.get('timeindex')).toEqual([-1, 0, 0, 0, 0, 0, 2, 0]);
  });

  it('writes the keys of a JSON export as an .alog file', () => {
    const file = new Map<string, PythonValue>(Object.entries({ timex: [0, 1], heavyFC: false, title: 'x' }));
    expect(alogOfDictionary(file, {})).toBe("{'timex': [0, 1], 'heavyFC': False, 'title': 'x'}\n");
  });
});
