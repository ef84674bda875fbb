import type { MarkKind } from '@roastery/roasting/marks';
import type { Reading } from '@roastery/roasting/curves/series';
import { assembleRoast, type FileCurve } from '../assemble-roast.ts';
import { jsonOf, type JsonObject } from '../file-content.ts';
import { type FileMoment, momentIn } from '../moments.ts';
import type { RoastFileFormat } from '../roast-file-format.ts';
import { numberAt, objectAt, objectsAt, readingsAt, textAt } from './json-fields.ts';

/** Indices into the samples, counted from 1; 0 for a mark that was not set. */
const markKeys: readonly (readonly [MarkKind, string])[] = [
  ['dry_end', 'indexYellowingStart'],
  ['first_crack', 'indexFirstCrackStart'],
  ['first_crack_end', 'indexFirstCrackEnd'],
  ['second_crack', 'indexSecondCrackStart'],
  ['second_crack_end', 'indexSecondCrackEnd'],
];

/** Steps of the panel, not percentages: P0 to P9, F1 to F12, D1 to D9. Numbers of `ctrlType`. */
const controls = ['Power', 'Fan', 'Drum'] as const;
/** The fields of older versions, with one value per sample. */
const oldControls = ['inductionPowerSetting', 'blowerSetting', 'drumSpeedSetting'] as const;

const samplesPerSecond = 2;

const controlCurves = (data: JsonObject, samples: number): FileCurve[] => {
  const actions = objectsAt(objectAt(data, 'actions'), 'actionTimeList').map((action) => ({
    control: numberAt(action, 'ctrlType'),
    index: Math.max(0, (numberAt(action, 'index') ?? 0) - 1),
    value: numberAt(action, 'value'),
  }));
  return controls.map((label, control) => {
    const old = readingsAt(data, oldControls[control] ?? '');
    const steps = actions.filter((action) => action.control === control).sort((a, b) => a.index - b.index);
    let next = 0;
    let value: Reading = null;
    const values = Array.from({ length: samples }, (_, index): Reading => {
      for (let step = steps[next]; step !== undefined && step.index <= index; step = steps[++next]) value = step.value;
      return steps.length > 0 ? value : (old[index] ?? null);
    });
    return { label, unit: '', values };
  });
};

/** The time as ISO 8601 or as ms since 1970. */
const momentOf = (data: JsonObject): FileMoment | null => {
  const number = numberAt(data, 'dateTime');
  return number === null ? momentIn(textAt(data, 'dateTime') ?? '', 'ymd') : { ms: number, isLocal: false };
};

const gramsAt = (data: JsonObject, key: string): number | null => {
  const grams = numberAt(data, key);
  return grams !== null && grams > 0 ? grams / 1000 : null;
};

/** `{"value": 78.5}`, null where nothing was measured. */
const levelAt = (data: JsonObject, key: string): number | null => numberAt(objectAt(data, key), 'value') || null;

/** The colours of newer versions, of ground coffee before whole beans as in Artisan's files; the other one is kept in the notes. */
const coloursOf = (data: JsonObject): { color: number | null; note: string | null } => {
  const [whole, ground] = [levelAt(data, 'wholeColorLevel'), levelAt(data, 'groundColorLevel')];
  const color = numberAt(data, 'agtron') || ground || whole;
  const isOther = whole !== null && whole !== color;
  return { color, note: isOther ? `Color of the whole beans: ${whole}` : null };
};

/** `R1`, `R2`: both machines write the same files. Older versions name none. */
const machineOf = (data: JsonObject): string =>
  /r2/i.test(textAt(data, 'hardware') ?? '') ? 'Aillio Bullet R2' : 'Aillio Bullet R1';

/** RoasTime and Roast World (Aillio): one JSON object with a list for each curve, two samples per second. */
export const roastime: RoastFileFormat = {
  format: 'roastime',
  recognise: (bytes) => {
    const data = jsonOf(bytes);
    if (data === undefined || !Array.isArray(data['beanTemperature'])) return 'no';
    return 'roastStartIndex' in data || 'drumTemperature' in data ? 'certain' : 'possible';
  },
  read: (bytes, choices) => {
    const data = jsonOf(bytes) ?? {};
    const bean = readingsAt(data, 'beanTemperature');
    const rate = numberAt(data, 'sampleRate');
    const perSecond = rate !== null && rate > 0 ? rate : samplesPerSecond;
    const timesSeconds = bean.map((_, index) => index / perSecond);
    const marks = markKeys.map(([kind, key]) => ({ kind, index: (numberAt(data, key) ?? 0) - 1 }));
    const end = numberAt(data, 'roastEndIndex') ?? 0;
    const last = bean.length - 1;
    const placed = [
      { kind: 'charge' as const, index: Math.max(0, numberAt(data, 'roastStartIndex') ?? 0) },
      ...marks.filter(({ index }) => index > 0),
      // The end may be the number of samples.
      { kind: 'drop' as const, index: end <= 0 || end === bean.length ? last : end },
    ];
    // 65535 and others are no places in the curve.
    const within = placed.filter(({ index }) => index <= last);
    const number = numberAt(data, 'roastNumber');
    const colours = coloursOf(data);
    return assembleRoast(
      {
        timesSeconds,
        curves: [
          { label: 'Bean probe', unit: '°C', is: 'bean_temp', values: bean },
          { label: 'Exhaust', unit: '°C', is: 'exhaust_temp', values: readingsAt(data, 'exitTemperature') },
          { label: 'IBTS', unit: '°C', values: readingsAt(data, 'drumTemperature') },
          ...controlCurves(data, bean.length),
        ],
        marks: within.map(({ kind, index }) => ({ kind, timeSeconds: index / perSecond })),
        facts: {
          coffee_name:
            textAt(data, 'beanName') ?? textAt(objectAt(data, 'bean'), 'beanName') ?? textAt(data, 'roastName'),
          machine_name: machineOf(data),
          roasted_by: textAt(data, 'roastMasterName'),
          batch_size_kg: gramsAt(data, 'weightGreen'),
          end_weight_kg: gramsAt(data, 'weightRoasted'),
          color: colours.color,
          notes:
            [textAt(data, 'roastName'), textAt(data, 'comments'), colours.note]
              .filter((text) => text !== null)
              .join('\n') || null,
        },
        batch: number !== null && number > 0 ? { prefix: '', number: Math.floor(number) } : null,
        recordedAt: momentOf(data),
        temperatureUnit: data['celsius'] === false ? 'F' : 'C',
        warnings: within.length < placed.length ? ['A mark outside the recording was skipped.'] : [],
      },
      choices,
    );
  },
};
