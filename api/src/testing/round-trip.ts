import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Upload } from '@roastery/contract/imports';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { parseAlog, readDictionary, recordKey } from '@roastery/roasting/artisan/alog';
import { uuidV7 } from '@roastery/runtime/uuid';
import { simulateRoast } from '@roastery/simulator/simulate-roast';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { sharedData } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../ingest/store-batch.ts';
import { markEvent, messageOf, openMigratedDatabase, registerMachine } from './ingest-fixture.ts';
import { startTestApi, testAdmin, type TestApi } from './test-api.ts';
import type { Visitor } from './visitor.ts';

const shared = sharedData();
const whySkipped = shared.title('');
const filesIn = (folder: string): string[] =>
  (shared.present ? readdirSync(shared.path(folder)) : [])
    // Three hold no reading and are refused.
    .filter((file) => file.endsWith('.alog') && !/^(?:30|65|80)_/.test(file))
    .map((file) => path.join(folder, file));
const realFiles = filesIn('alog');
const allRealFiles = [...realFiles, ...filesIn('alog2')];
/** Every so many files of a list: files of one program and machine follow each other. */
const oneOf = (files: readonly string[], every: number): string[] => files.filter((_, index) => index % every === 0);
const described = {
  coffee_name: 'Guji “Shakiso” 烘焙',
  coffee_origin: '=Origin',
  coffee_process: 'washed',
  notes: '=1+1\nsecond line, 烘焙',
  roast_number: 'R-1',
  roast_level: 'Medium-Dark',
  roasted_by: 'Łucja',
  cupping_score: 86.25,
  color: 61.5,
  batch_size_kg: 12.345,
  end_weight_kg: 10.5,
};
/** Machine and recipe depend on the roastery, and are chosen again at an upload. */
const without = (roast: Roast, ...fields: (keyof Roast)[]) =>
  Object.fromEntries(Object.entries(roast).filter(([field]) => !fields.includes(field as keyof Roast)));
const identity = [
  'batch_number',
  'said_number',
  'id',
  'revision',
  'profile_id',
  'lot_id',
  'machine_id',
  'machine_name',
  'max_drum_rpm',
  // A file is not part of a machine's recording.
  'recorded',
  'original_file',
] as const;

const keysOf = (bytes: Uint8Array) => readDictionary(Buffer.from(bytes).toString('utf8'));
const asText = (value: unknown) => JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : part));
/** Keys of two Artisan files whose values differ, or that only one of them has. */
const differences = (before: Uint8Array, after: Uint8Array): string[] => {
  const [one, other] = [keysOf(before), keysOf(after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => asText(one.get(key)) !== asText(other.get(key)),
  );
};
const numbers = ['source_batch', 'is_numbered'] as const;

/** Prefix and number as Artisan has them; null for a file without. */
const batchIn = (bytes: Uint8Array): string | null => {
  const { batchNumber, batchPrefix } = parseAlog(Buffer.from(bytes).toString('utf8'));
  return batchNumber === null ? null : `${batchPrefix ?? ''}${batchNumber}`;
};

/** Curves by their content: a CSV only has labels as names. */
const columns = (curve: CurveColumns) =>
  Object.values(curve.channels)
    .filter((values) => values.some((value) => value !== null))
    .map((values) => JSON.stringify(values));
const areWeightsOdd = ({ warnings }: Upload) =>
  warnings.some((warning) => warning.startsWith('The weights in the file'));
const mono = (seconds: number) => 60_000 + Math.round(seconds * 1000);

/** Round trips of one in `every` real roast files, and of boards' recordings at these rates. */
export const describeRoundTrips = (every: number, rates: readonly (1 | 4)[]): void => {
  describe('round trip of a roast file', () => {
    let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
    let test: TestApi;
    let admin: Visitor;
    let adminId: string;
    beforeAll(async () => {
      database = await openMigratedDatabase();
      test = await startTestApi(database.url);
      admin = await test.signedIn(testAdmin.email, testAdmin.password);
      adminId = (await admin.send<{ id: string }>('GET', '/auth/me')).body.id;
    });
    afterAll(async () => {
      await test.close();
      await database[Symbol.asyncDispose]();
    });

    const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Upload> => {
      const made = await admin.sendFile<Upload & { detail?: string }>(`/roasts/uploads?file_name=${name}`, bytes);
      expect(made.status, made.body.detail).toBe(201);
      return made.body;
    };
    const take = async (from: Upload, more: object = {}): Promise<Roast> => {
      const { coffee_name, coffee_origin, coffee_process, roasted_by, roast_number, notes, cupping_score, color } =
        from;
      const taken = await admin.send<Roast>('POST', `/roasts/uploads/${from.id}/roast`, {
        coffee_name,
        coffee_origin,
        coffee_process,
        roasted_by,
        roast_number,
        notes,
        cupping_score,
        color,
        roast_level: from.roast_level,
        batch_size_kg: from.batch_size_kg,
        end_weight_kg: from.end_weight_kg,
        start_time: from.start_time ?? '2026-11-21T07:40:00.000Z',
        even_if_duplicate: true,
        ...more,
      });
      expect(taken.status, JSON.stringify(taken.body)).toBe(201);
      return taken.body;
    };
    const around = async (id: string, before: number, after: number) =>
      (await admin.send<CurveColumns>('GET', `/roasts/${id}/curve/columns?before=${before}&after=${after}`)).body;
    const exported = async (id: string, format: string): Promise<Upload> => {
      const out = await admin.download(`/roasts/${id}/export/${format}`);
      expect(out.status).toBe(200);
      return upload(`back.${format}`, out.bytes);
    };

    /** Everything, to the digit: the description, the time, each mark with its origin, each curve under its own name. */
    const comesBackWhole = async (
      roast: Roast,
      format: 'alog' | 'xlsx',
      [before, after]: readonly [number, number],
      number: string | null,
      { unit, warnings }: { unit: string; warnings: readonly string[] } = { unit: 'C', warnings: [] },
    ) => {
      const again = await exported(roast.id, format);
      expect(again.warnings).toEqual(warnings);
      expect(again.temperature_unit.value).toBe(unit);
      const back = await take(again);
      const lost = [...identity, 'profile_name', 'roast_level_target', ...numbers] as const;
      // Only an Artisan file has the number of the batch: the imported roast has it as that of its file.
      expect(back.source_batch).toBe(number);
      expect(without(back, ...lost)).toEqual(without(roast, ...lost));
      expect(again.profile_name).toBe(roast.profile_name);
      expect(await around(back.id, before, after)).toEqual(await around(roast.id, before, after));
    };

    /** The curve to the digit, and the marks on the nearest samples; no description. */
    const comesBackAsCurve = async (roast: Roast, before: number, after: number) => {
      const again = await exported(roast.id, 'csv');
      expect(again.temperature_unit).toEqual({ value: 'C', source: 'file' });
      expect(again.time_unit).toEqual({ value: 's', source: 'file' });
      // The unit belongs to the column, not to the name: otherwise the next file would repeat it.
      expect(again.channels.filter(({ label }) => /[°%]/.test(label.slice(-4)))).toEqual([]);
      const back = await take(again);
      expect(back.marks.map(({ kind }) => kind)).toEqual(roast.marks.map(({ kind }) => kind));
      const [there, here] = [await around(roast.id, before, after), await around(back.id, before, after)];
      const times = there.time_seconds;
      const widest = Math.max(...times.map((time, index) => time - (times[index - 1] ?? time)));
      for (const [index, mark] of roast.marks.entries()) {
        expect(Math.abs((back.marks[index]?.time_seconds ?? 1e9) - mark.time_seconds), mark.kind).toBeLessThan(widest);
      }
      const first = (here.time_seconds[0] ?? 0) - (times[0] ?? 0);
      expect(here.time_seconds.map((time) => Math.round((time - first) * 1000) / 1000)).toEqual(times);
      expect(columns(here).sort()).toEqual(columns(there).sort());
    };

    describe.skipIf(!shared.present)(`is unchanged${whySkipped}`, () => {
      it.each(oneOf(realFiles, every))('%s as alog, xlsx and csv', async (file) => {
        const bytes = new Uint8Array(readFileSync(shared.path(file)));
        const uploaded = await upload(encodeURIComponent(path.basename(file)), bytes);
        const roast = await take(uploaded, described);
        expect(roast).toMatchObject(described);
        // An Artisan file stays unchanged, in its own unit: it gives the same warnings again, except for the corrected
        // weights and the ends of the roast that were found and are marked now.
        const { temperature_unit: unit } = uploaded;
        const warnings = uploaded.warnings.filter(
          (warning) => !/^The (?:weights in the file|file marks no) /.test(warning),
        );
        await comesBackWhole(roast, 'alog', [14_400, 14_400], roast.source_batch, { unit: unit.value, warnings });
        await comesBackWhole(roast, 'xlsx', [14_400, 14_400], null);
        await comesBackAsCurve(roast, 14_400, 14_400);
      });
    });

    describe.skipIf(!shared.present)(`an Artisan file, imported and exported${whySkipped}`, () => {
      it.each(oneOf(allRealFiles, every))('%s has every key unchanged, except for the edited ones', async (file) => {
        const bytes = new Uint8Array(readFileSync(shared.path(file)));
        const uploaded = await upload(encodeURIComponent(path.basename(file)), bytes);
        const roast = await take(uploaded);
        const back = async () => (await admin.download(`/roasts/${roast.id}/export/alog`)).bytes;
        const unchanged = await back();
        expect(differences(bytes, unchanged)).toEqual([recordKey]);
        const again = await upload('again.alog', unchanged);
        expect(areWeightsOdd(again)).toBe(areWeightsOdd(uploaded));
        expect(again.coffee_name).toBe(roast.coffee_name);
        expect(roast.source_batch).toBe(batchIn(bytes));
        const edited = await admin.send<Roast>('PUT', `/roasts/${roast.id}`, {
          coffee_name: 'Another name',
          batch_size_kg: 123.5,
          notes: `${roast.notes ?? ''}\n\nAdded here`.trim(),
        });
        expect(edited.status).toBe(200);
        const after = await back();
        expect(differences(bytes, after).sort()).toEqual([recordKey, 'roastingnotes', 'title', 'weight'].sort());
        const artisan = parseAlog(Buffer.from(after).toString('utf8'));
        expect(artisan.greenKg).toBeCloseTo(123.5, 3);
        expect(artisan.roastingNotes).toContain('Added here');
        expect(artisan.cuppingNotes).toBe(parseAlog(Buffer.from(bytes).toString('utf8')).cuppingNotes);
      });
    });

    it.each(rates)('equals the board’s recording at %d Hz', async (hz) => {
      const simulated = simulateRoast({ seed: hz, hz, capacityKg: 15, leadSeconds: 150, tailSeconds: 180 });
      const serial = `RT-${hz}`;
      await registerMachine(database.sql, serial, adminId);
      const id = uuidV7();
      const wallOffsetMs = Date.parse('2026-11-20T06:00:00.123Z');
      const board = createJournalBoard({ channels: simulated.channels, wallOffsetMs });
      const seqs = simulated.timesSeconds.map((seconds, index) =>
        // A probe that was pulled for a while leaves a gap.
        board.sample(
          mono(seconds),
          ...simulated.channels.map((name) =>
            index > 400 && index < 420 ? null : (simulated.columns[name][index] ?? null),
          ),
        ),
      );
      const end = mono(simulated.timesSeconds.at(-1) ?? 0);
      board.event(end, { type: 'roast', roast_id: id, state: 'in_progress' });
      for (const { kind, timeSeconds, index, tempC } of simulated.marks) {
        board.event(end, markEvent(id, kind, { seq: seqs[index] ?? 0, mono: mono(timeSeconds) }, tempC));
      }
      board.event(end, { type: 'roast', roast_id: id, state: 'completed' });
      await commitMessages(
        database.sql,
        board.batches(() => 600).map((batch) => messageOf(serial, batch)),
      );
      expect((await admin.send('PUT', `/roasts/${id}`, described)).status).toBe(200);
      // Between two samples, like a person's mark.
      const found = (await admin.send<Roast>('GET', `/roasts/${id}`)).body;
      const crack = { time_seconds: Math.round(found.first_crack_time ?? 0) + 0.377, temp: 196.4 };
      const marked = await admin.send<{ detail?: string }>('PUT', `/roasts/${id}/marks/first_crack`, crack);
      expect(marked.status, marked.body.detail).toBe(200);
      const roast = (await admin.send<Roast>('GET', `/roasts/${id}`)).body;
      expect(roast.marks.map(({ kind, origin }) => [kind, origin])).toEqual(
        expect.arrayContaining([
          ['charge', 'detector'],
          ['first_crack', 'person'],
          ['drop', 'detector'],
        ]),
      );
      // Readings from two minutes before the charge and five after the drop belong to the neighbouring roasts.
      await comesBackWhole(roast, 'alog', [120, 300], roast.batch_number);
      await comesBackWhole(roast, 'xlsx', [120, 300], null);
      await comesBackAsCurve(roast, 120, 300);
      const artisan = parseAlog(
        Buffer.from((await admin.download(`/roasts/${id}/export/alog`)).bytes).toString('utf8'),
      );
      expect(artisan.warnings).toEqual([]);
      expect(artisan.timesSeconds.length).toBeGreaterThan((roast.duration_seconds ?? 0) * hz);
    });
  });
};
