import { randomUUID } from 'node:crypto';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { pythonRepr, type WritableValue } from '@roastery/roasting/artisan/python-repr';
import { cToF } from '@roastery/roasting/units';

/** A roast in Artisan's memory while it records; °C. */
export interface ArtisanRecording {
  /** Seconds since START. */
  readonly seconds: readonly number[];
  readonly beanTempC: readonly (number | null)[];
  readonly exhaustTempC: readonly (number | null)[];
  /** Seconds since START, for marks that were set. */
  readonly charge?: number;
  readonly dryEnd?: number;
  readonly firstCrack?: number;
  readonly drop?: number;
  /** START, ms since 1970. */
  readonly startedAtMs: number;
  readonly unit?: TemperatureUnit;
  readonly uuid?: string;
  readonly title?: string;
  readonly operator?: string;
  readonly greenKg?: number;
  readonly roastedKg?: number;
  readonly batchNumber?: number;
  readonly batchPrefix?: string;
  readonly notes?: string;
  /** Additional keys, as an edit in Artisan may add them. */
  readonly more?: Readonly<Record<string, WritableValue>>;
}

/** Index of a mark among the samples; unset marks are 0, an unset charge is -1. */
const indexOf = ({ seconds }: ArtisanRecording, moment: number | undefined, unset = 0): number => {
  if (moment === undefined) return unset;
  const index = seconds.findIndex((second) => second >= moment);
  return index < 0 ? seconds.length - 1 : index;
};

/** The text of the `.alog` file that Artisan saves for it: one Python dictionary on one line. */
export const artisanFile = (roast: ArtisanRecording): string => {
  const unit = roast.unit ?? 'C';
  const written = (temps: readonly (number | null)[]) =>
    temps.map((temp) => (temp === null ? -1 : Math.round((unit === 'F' ? cToF(temp) : temp) * 1000) / 1000));
  return pythonRepr({
    recording_version: '4.0.2',
    version: '4.0.2',
    mode: unit,
    roastUUID: roast.uuid ?? randomUUID().replaceAll('-', ''),
    roastepoch: Math.round(roast.startedAtMs / 1000),
    title: roast.title ?? 'Roaster Scope',
    operator: roast.operator ?? '',
    roastbatchnr: roast.batchNumber ?? 0,
    roastbatchprefix: roast.batchPrefix ?? '',
    weight: [roast.greenKg ?? 0, roast.roastedKg ?? 0, 'Kg'],
    roastingnotes: roast.notes ?? '',
    timeindex: [
      indexOf(roast, roast.charge, -1),
      indexOf(roast, roast.dryEnd),
      indexOf(roast, roast.firstCrack),
      0,
      0,
      0,
      indexOf(roast, roast.drop),
      0,
    ],
    timex: [...roast.seconds],
    temp1: written(roast.exhaustTempC),
    temp2: written(roast.beanTempC),
    ...roast.more,
  });
};

/** A drum's bean probe: hot and empty, charge at 60 s, turning, rise, drop at 660 s, empty again until 720 s. */
export const drumRoast = (
  startedAtMs: number,
  more: Partial<ArtisanRecording> = {},
): ArtisanRecording & { readonly charge: number; readonly drop: number } => {
  const seconds = Array.from({ length: 361 }, (_, index) => index * 2);
  const [charge, drop] = [60, 660];
  const bean = (at: number): number => {
    if (at <= charge) return 200;
    const since = Math.min(at, drop) - charge;
    const roast = 215 - 125 * Math.exp(-since / 260) + 110 * Math.exp(-since / 18);
    return at <= drop ? roast : 120 + (roast - 120) * Math.exp(-(at - drop) / 25);
  };
  return {
    seconds,
    beanTempC: seconds.map((at) => Math.round(bean(at) * 10) / 10),
    exhaustTempC: seconds.map((at) => Math.round((210 + at / 20) * 10) / 10),
    dryEnd: 300,
    firstCrack: 540,
    startedAtMs,
    ...more,
    charge,
    drop,
  };
};
