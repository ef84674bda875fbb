import { stepsOf } from '@roastery/roasting/artisan/alog-controls';
import type { Reading } from '@roastery/roasting/curves/series';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { writeAlogPieces } from '@roastery/roasting/artisan/write-alog';
import { recordedMarks, type RestoredFile } from '../../file-reading/restored-file.ts';
import { sinceRecordingBegan, type ExportedRoast } from './exported-roast.ts';

/** What an Artisan file has besides its samples. */
type RoastFacts = Pick<ExportedRoast, 'roast' | 'chargeSeconds' | 'recordedAtMs'>;

const marksSinceRecording = (exported: RoastFacts) =>
  exported.roast.marks.map(({ kind, time_seconds, temp: tempC, origin, confidence }) => ({
    kind,
    timeSeconds: sinceRecordingBegan(exported, time_seconds),
    tempC,
    origin,
    confidence,
  }));

/** Data that Artisan has no place for; our own import reads it from here. */
const factsOf = ({ roast }: RoastFacts) => ({
  coffee_name: roast.coffee_name,
  coffee_origin: roast.coffee_origin,
  coffee_process: roast.coffee_process,
  machine_name: roast.machine_name,
  roasted_by: roast.roasted_by,
  profile_name: roast.profile_name,
  roast_number: roast.roast_number,
  roast_level: roast.roast_level,
  batch_size_kg: roast.batch_size_kg,
  end_weight_kg: roast.end_weight_kg,
  color: roast.color,
  cupping_score: roast.cupping_score,
  notes: roast.notes,
});

/** The changes to the Artisan file of an imported roast. */
export const changesOfFile = (exported: RoastFacts): Pick<RestoredFile, 'facts' | 'marks' | 'firstSampleAtMs'> => ({
  facts: factsOf(exported),
  marks: marksSinceRecording(exported),
  firstSampleAtMs: exported.recordedAtMs,
});

/**
 * A roast as an Artisan file, in parts, in the unit that the person reads. It includes the data that Artisan has no place for, so that an import restores
 * all of it.
 */
export const roastAlog = (exported: ExportedRoast, mode: TemperatureUnit): Iterable<string> => {
  const { roast, timesSeconds, channels, recordedAtMs } = exported;
  const values = (name: string): readonly Reading[] =>
    channels.find((channel) => channel.name === name)?.values ?? timesSeconds.map(() => null);
  const extra = channels.filter(({ name }) => name !== 'bean_temp' && name !== 'exhaust_temp');
  const marks = marksSinceRecording(exported);
  const times = timesSeconds.map((seconds) => sinceRecordingBegan(exported, seconds));
  return writeAlogPieces({
    timesSeconds: times,
    controls: {
      air: stepsOf(times, values('fan_speed')),
      drum: stepsOf(times, values('drum_speed')),
      burner: stepsOf(times, values('heat_power')),
    },
    beanTempC: values('bean_temp'),
    exhaustTempC: values('exhaust_temp'),
    channels: extra.map((channel) => ({
      name: channel.label,
      isTemperature: channel.unit === '°C',
      values: channel.values,
    })),
    marks,
    title: roast.coffee_name ?? roast.said_number,
    beans: [roast.coffee_name, roast.coffee_origin, roast.coffee_process].filter((text) => text !== null).join(', '),
    machine: roast.machine_name ?? '',
    operator: roast.roasted_by ?? '',
    roastingNotes: roast.notes ?? '',
    color: roast.color,
    greenKg: roast.batch_size_kg,
    roastedKg: roast.end_weight_kg,
    mode,
    batch: roast.batch_number ?? roast.source_batch,
    startedAtMs: recordedAtMs,
    uuid: roast.id,
    record: {
      v: 1,
      recorded_at: new Date(recordedAtMs).toISOString(),
      facts: factsOf(exported),
      marks: recordedMarks(marks),
      channels: extra.map(({ name, label, unit }) => ({ name, label, unit })),
    },
  });
};
