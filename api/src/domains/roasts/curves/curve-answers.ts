import type { CurveGap, Datapoint, RecordedCurve } from '@roastery/contract/roast-curves';
import { type Curve, type OpenedCurve, ratesAlong, ratesOnceRead, wholeCurve } from './roast-curve.ts';
import type { Column } from '../../../recordings/recordings.ts';

const ratesOf = (curve: Curve): Column => ratesAlong(curve, curve.channels.get('bean_temp'));

export const curveColumns = (curve: Curve, gaps: CurveGap[]): RecordedCurve => ({
  time_seconds: curve.timeSeconds,
  channels: Object.fromEntries(curve.channels),
  ror: ratesOf(curve),
  gaps,
});

const timesAtOnce = 5000;

/** The same as JSON, each column as soon as it is read, and the gaps at the end. */
export async function* curveColumnsJson(curve: OpenedCurve, gaps: Promise<CurveGap[]>): AsyncGenerator<string> {
  const { timeSeconds } = curve;
  yield '{"time_seconds":[';
  for (let from = 0; from < timeSeconds.length; from += timesAtOnce) {
    const part = JSON.stringify(timeSeconds.slice(from, from + timesAtOnce));
    yield `${from === 0 ? '' : ','}${part.slice(1, -1)}`;
  }
  yield '],"channels":{';
  let rates: Column | undefined;
  let separator = '';
  for (const [name, reading] of curve.channels) {
    const column = await reading;
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(column)}`;
    separator = ',';
    // While Postgres prints the next column.
    if (name === 'bean_temp') rates = ratesAlong(curve, column);
  }
  const ror = JSON.stringify(rates ?? ratesAlong(curve, undefined));
  yield `},"ror":${ror},"gaps":${JSON.stringify(await gaps)}}`;
}

/** Makes the datapoint of each sample. */
const datapointOf = (curve: Curve, rates: Column): ((index: number) => Datapoint) => {
  const column = (name: string) => curve.channels.get(name);
  const bean = column('bean_temp');
  const exhaust = column('exhaust_temp');
  const front = column('burner_front_temp');
  const back = column('burner_back_temp');
  const heat = column('heat_power');
  const fan = column('fan_speed');
  const drum = column('drum_speed');
  return (index) => ({
    time_seconds: curve.timeSeconds[index] ?? 0,
    bean_temp: bean?.[index] ?? null,
    exhaust_temp: exhaust?.[index] ?? null,
    burner_front_temp: front?.[index] ?? null,
    burner_back_temp: back?.[index] ?? null,
    ror: rates[index] ?? null,
    heat_power: heat?.[index] ?? null,
    fan_speed: fan?.[index] ?? null,
    drum_speed: drum?.[index] ?? null,
  });
};

export const curveDatapoints = (curve: Curve): Datapoint[] => {
  const datapoint = datapointOf(curve, ratesOf(curve));
  return curve.timeSeconds.map((_, index) => datapoint(index));
};

const datapointsAtOnce = 2000;

/** The same as JSON, begun before the channels are read; some thousand samples at a time. */
export async function* curveDatapointsJson(opened: OpenedCurve): AsyncGenerator<string> {
  yield '{"datapoints":[';
  const [curve, rates] = await Promise.all([wholeCurve(opened), ratesOnceRead(opened)]);
  const datapoint = datapointOf(curve, rates);
  const samples = curve.timeSeconds.length;
  for (let from = 0; from < samples; from += datapointsAtOnce) {
    const part = Array.from({ length: Math.min(datapointsAtOnce, samples - from) }, (_, n) => datapoint(from + n));
    yield `${from === 0 ? '' : ','}${JSON.stringify(part).slice(1, -1)}`;
  }
  yield ']}';
}
