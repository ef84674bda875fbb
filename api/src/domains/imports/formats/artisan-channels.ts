import type { AlogChannel } from '@roastery/roasting/artisan/alog-channels';
import type { ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { controlNames, type ControlStep } from '@roastery/roasting/artisan/alog-controls';
import type { Reading } from '@roastery/roasting/curves/series';
import { ChannelNames, isPercentage } from '../channel-names.ts';
import { isDerived, knownChannel } from '../head-meaning.ts';
import type { ImportedChannel } from '../imported-roast.ts';

/**
 * Extra curves and the steps of the controls as columns on the roast's own times. A curve with the name Burner, Air or
 * Drum and percentages is that output; if there is none, or it ends before the roast while a person still set steps,
 * the steps are. Other curves keep their own name.
 */
export const alogChannelColumns = (roast: ArtisanRoast, toCelsius: (raw: Reading) => Reading): ImportedChannel[] => {
  const names = new ChannelNames();
  names.take('bean_temp');
  names.take('exhaust_temp');
  const columns: ImportedChannel[] = [];
  const add = (column: Omit<ImportedChannel, 'name'>, preferred: string | undefined) => {
    const name =
      preferred !== undefined && names.take(preferred) ? preferred : names.takeOwn(column.label, columns.length + 1);
    columns.push({ ...column, name });
  };
  const set = controlNames.flatMap((control, place) => {
    const steps = roast.controls[control];
    const label = roast.controlLabels[place] ?? control;
    return steps.length === 0 ? [] : [{ label, steps, values: stepsOnTimes(steps, roast.timesSeconds) }];
  });
  for (const channel of roast.channels) {
    const onTimes = valuesOnTimes(channel, roast.timesSeconds);
    const known = outputOf(channel.name, onTimes);
    // A curve of zeros has less information than the steps.
    const silent =
      known !== undefined &&
      (onTimes.every((value) => value === null || value === 0) ||
        set.some(({ label, steps, values }) => outputOf(label, values) === known && isOutlived(onTimes, steps, roast)));
    if (known !== undefined) add({ label: channel.name, unit: '%', values: onTimes }, silent ? undefined : known);
    else if (channel.mayBeTemperature && !isDerived(channel.name))
      add({ label: channel.name, unit: '°C', values: onTimes.map(toCelsius) }, undefined);
    else add({ label: channel.name, unit: '', values: onTimes }, undefined);
  }
  for (const { label: own, values } of set) {
    // A measured value and a set value are two different channels.
    const label = columns.some((column) => column.label === own) ? `${own} set` : own;
    if (columns.some((column) => column.label === own && isSameCurve(column.values, values))) continue;
    const known = outputOf(own, values);
    add({ label, unit: known === undefined ? '' : '%', values }, known);
  }
  return columns;
};

/** A file that was saved by Artisan has an output both as its curve and as steps in whole percents. */
const isSameCurve = (measured: readonly Reading[], set: readonly Reading[]): boolean =>
  set.every((value, index) => {
    const there = measured[index] ?? null;
    return value === null || there === null || Math.abs(value - there) <= 0.5;
  });

/** The curve ends before the last steps were set: for example the duty of a controller that was switched off. */
const isOutlived = (measured: readonly Reading[], steps: readonly ControlStep[], { timesSeconds }: ArtisanRoast) => {
  const last = timesSeconds[measured.findLastIndex((value) => value !== null)] ?? Number.NEGATIVE_INFINITY;
  return steps.filter(({ timeSeconds }) => timeSeconds > last).length > 1;
};

const outputOf = (label: string, values: readonly Reading[]): string | undefined => {
  const known = knownChannel(label);
  return known?.unit === '%' && isPercentage(values) ? known.channel : undefined;
};

/**
 * Extra devices are read in the same round as the probes, some milliseconds to a second later, so a curve of equal
 * length matches sample by sample. Any other curve uses the reading nearest in time, if there is one within half a
 * round.
 */
const valuesOnTimes = (channel: AlogChannel, times: readonly number[]): Reading[] => {
  if (channel.timesSeconds.length === times.length) return [...channel.values];
  const round = times.length < 2 ? 1 : ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1);
  let at = 0;
  return times.map((time) => {
    const distance = (index: number) => Math.abs((channel.timesSeconds[index] ?? Number.POSITIVE_INFINITY) - time);
    while (at + 1 < channel.timesSeconds.length && distance(at + 1) <= distance(at)) at += 1;
    return distance(at) <= round / 2 ? (channel.values[at] ?? null) : null;
  });
};

/** The setting of a control over time: none before its first step. */
const stepsOnTimes = (steps: readonly ControlStep[], times: readonly number[]): Reading[] => {
  let next = 0;
  let value: Reading = null;
  return times.map((time) => {
    for (let step = steps[next]; step !== undefined && step.timeSeconds <= time; step = steps[++next]) {
      value = step.value;
    }
    return value;
  });
};
