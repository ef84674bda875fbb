import type { MarkKind } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
import { parseMassUnit, toKg } from '@roastery/roasting/units';
import { assembleRoast, type FileCurve } from '../assemble-roast.ts';
import { jsonOf, type JsonObject } from '../file-content.ts';
import { momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberAt, objectAt, objectsAt, textAt } from './json-fields.ts';

/** Kinds by the number of an event. */
const eventKinds: readonly (MarkKind | undefined)[] = [
  undefined,
  'charge',
  undefined,
  'dry_end',
  'first_crack',
  'first_crack_end',
  'second_crack',
  'second_crack_end',
  'drop',
];
const outputs: readonly (Omit<FileCurve, 'values'> & { readonly key: string })[] = [
  { key: 'HP', label: 'Heat', unit: '%', is: 'heat_power' },
  { key: 'FC', label: 'Fan', unit: '%', is: 'fan_speed' },
  { key: 'RC', label: 'Drum', unit: '%', is: 'drum_speed' },
  { key: 'TS', label: 'TS', unit: '' },
];

const weightIn = (context: JsonObject, key: string): number | null => {
  const { value, unit } = {
    value: numberAt(objectAt(context, key), 'value'),
    unit: textAt(objectAt(context, key), 'unit'),
  };
  const known = parseMassUnit(unit ?? 'g');
  return value === null || value <= 0 || known === null ? null : toKg(value, known);
};

/** HiBean: one JSON object, each sample with its temperatures, its event and the roaster's outputs. */
export const hibean: RoastFileFormat = {
  format: 'hibean',
  recognise: (bytes) => {
    const data = jsonOf(bytes);
    return data !== undefined && Array.isArray(data['dataList']) && ('roastContext' in data || 'deviceInfo' in data)
      ? 'certain'
      : 'no';
  },
  read: (bytes, choices) => {
    const data = jsonOf(bytes) ?? {};
    const samples = objectsAt(data, 'dataList');
    const column = (key: string): Reading[] => samples.map((sample) => numberAt(sample, key));
    const timesSeconds = samples.map((sample) => numberAt(sample, 'duration') ?? Number.NaN);
    const output = (key: string): Reading[] =>
      samples.map((sample) => {
        const param = objectsAt(sample, 'roasterParams').find((one) => one['key'] === key);
        const value = param?.['value'];
        return param === undefined || value === '' || !Number.isFinite(Number(value)) ? null : Number(value);
      });
    const marks = samples.flatMap((sample, index) => {
      const kind = eventKinds[Number(sample['event'])];
      const timeSeconds = timesSeconds[index];
      return kind === undefined || timeSeconds === undefined ? [] : [{ kind, timeSeconds }];
    });
    const context = objectAt(data, 'roastContext');
    return assembleRoast(
      {
        timesSeconds,
        curves: [
          { label: 'BT', unit: '°C', is: 'bean_temp', values: column('bt') },
          { label: 'ET', unit: '°C', is: 'exhaust_temp', values: column('et') },
          ...outputs.map(({ key, ...curve }) => ({ ...curve, values: output(key) })),
        ],
        marks,
        facts: {
          coffee_name: textAt(context, 'name'),
          machine_name: textAt(objectAt(data, 'deviceInfo'), 'name'),
          batch_size_kg: weightIn(context, 'greenBeanWeight'),
          end_weight_kg: weightIn(context, 'roastedBeanWeight'),
          notes: textAt(data, 'notes'),
        },
        recordedAt: momentIn(textAt(data, 'dateTime') ?? '', 'ymd'),
        temperatureUnit: textAt(data, 'temperatureUnit')?.toUpperCase() === 'F' ? 'F' : 'C',
      },
      choices,
    );
  },
};
