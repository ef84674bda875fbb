import { gunzipSync } from 'node:zlib';
import type { UploadFormat } from '@roastery/contract/imports';
import { artisanRoastIn, type ArtisanRoast, readDictionary, timeindexKinds } from '@roastery/roasting/artisan/alog';
import { markOf, type MarkKind } from '@roastery/roasting/marks';
import { alogOfDictionary, restoreAlog, type AlogChanges } from '@roastery/roasting/artisan/restore-alog';
import { recordedMarks, type RestoredFile, type RestoredMark } from '../../file-reading/restored-file.ts';
import { textOf } from './file-content.ts';
import { eventLines } from './formats/artisan.ts';
import { artisanDictionary } from './formats/artisan-json.ts';
import type { ImportedRoast } from './imported-roast.ts';
import { completedByName } from './named-file.ts';
import { readRoastFile } from './read-roast-file.ts';

/** Marks closer than this are unchanged: the file stores them on samples. */
const sameMarkSeconds = 0.0015;
const isSame = (a: number | null, b: number | null): boolean =>
  a === b || (a !== null && b !== null && Math.abs(a - b) < 1e-6);

/** A value that differs from the file at its import. */
const changed = <Value>(now: Value, before: Value, same = Object.is(now, before)): Value | undefined =>
  same ? undefined : now;

/** Notes of a roast hold the texts of the file one below the other: the rest is the file's own roasting notes. */
const roastingNotesIn = (notes: string, { beans, cuppingNotes }: ArtisanRoast, events: string | null): string => {
  let left = notes;
  for (const part of [beans, cuppingNotes, events]) if (part !== null) left = left.replace(part, '');
  return left.replaceAll(/\n{3,}/g, '\n\n').trim();
};

/** The coffee's name if a person entered it: one that replaces a missing title has no key in the file. */
const titleChanged = (
  name: string | null,
  { fileName, lotCoffee }: Pick<RestoredFile, 'fileName' | 'lotCoffee'>,
  format: UploadFormat,
  was: ImportedRoast['facts'],
): string | null | undefined => {
  const unnamed = { coffee_name: was.coffee_name, start_time: null, source_batch: null, format };
  const isStandIn =
    name === completedByName(fileName, unnamed).coffee_name ||
    (was.coffee_name === null && name !== null && name === lotCoffee);
  return isStandIn ? undefined : changed(name, was.coffee_name);
};

const marksChanged = (now: readonly RestoredMark[], before: ImportedRoast): AlogChanges['marks'] => {
  const moved: Partial<Record<MarkKind, number | null>> = {};
  for (const kind of timeindexKinds) {
    const at = now.find((mark) => mark.kind === kind)?.timeSeconds ?? null;
    const was = markOf(before.marks, kind)?.timeSeconds ?? null;
    if (at === was || (at !== null && was !== null && Math.abs(at - was) < sameMarkSeconds)) continue;
    moved[kind] = at;
  }
  return moved;
};

/** An imported roast as an `.alog` file: the uploaded file, with the later changes to the roast. */
export const restoreArtisanFile = async (
  content: Uint8Array,
  { choices, fileName, lotCoffee, facts, roastedBy, marks: fromFirstSample, firstSampleAtMs }: RestoredFile,
): Promise<string> => {
  const bytes = new Uint8Array(gunzipSync(content));
  const { format, roast: before } = await readRoastFile(bytes, choices);
  const text = textOf(bytes) ?? '';
  const dictionary = format === 'artisan_json' ? artisanDictionary(bytes) : readDictionary(text);
  const artisan = artisanRoastIn(dictionary);
  const was = before.facts;
  // The file counts from its second 0, where it needs no sample.
  const firstSeconds = before.timesSeconds[0] ?? 0;
  // Whole milliseconds, like the samples of a recording.
  const firstMs = Math.round(firstSeconds * 1000);
  const marks = fromFirstSample.map((mark) => ({
    ...mark,
    timeSeconds: (Math.round(mark.timeSeconds * 1000) + firstMs) / 1000,
  }));
  const startedAtMs = firstSampleAtMs - firstMs;
  const isNoted = facts.notes !== was.notes;
  const title = titleChanged(facts.coffee_name, { fileName, lotCoffee }, format, was);
  const operator = changed(roastedBy, was.roasted_by);
  const color = changed(facts.color, was.color, isSame(facts.color, was.color));
  const greenKg = changed(facts.batch_size_kg, was.batch_size_kg, isSame(facts.batch_size_kg, was.batch_size_kg));
  const roastedKg = changed(facts.end_weight_kg, was.end_weight_kg, isSame(facts.end_weight_kg, was.end_weight_kg));
  const isMoved = before.recordedAtMs !== null && Math.abs(before.recordedAtMs - startedAtMs) > 1000;
  const changes: AlogChanges = {
    ...(title === undefined ? {} : { title: title ?? '' }),
    ...(operator === undefined ? {} : { operator: operator ?? '' }),
    ...(isNoted ? { roastingNotes: roastingNotesIn(facts.notes ?? '', artisan, eventLines(artisan)) } : {}),
    ...(color === undefined ? {} : { color }),
    ...(greenKg === undefined ? {} : { greenKg }),
    ...(roastedKg === undefined ? {} : { roastedKg }),
    ...(isMoved ? { startedAtMs } : {}),
    marks: marksChanged(marks, before) ?? {},
    record: { v: 1, recorded_at: new Date(startedAtMs).toISOString(), facts, marks: recordedMarks(marks) },
  };
  return format === 'artisan_json' ? alogOfDictionary(dictionary, changes) : restoreAlog(text, changes);
};
