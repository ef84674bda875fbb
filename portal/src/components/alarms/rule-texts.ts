import type { AlarmRule } from '@roastery/contract/alarm-rules';
import type { AlarmCondition } from '@roastery/roasting/alarm-rules';
import { formatDuration } from '@roastery/roasting/units';
import { readingOf, unitOf, type Units } from '../../format/quantities.ts';
import { formatNumber, formatPercent } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { markLabels, phaseLabels } from '../chart/mark-layout.ts';
import { channelLabel } from './alarm-texts.ts';
import { differenceIn, type FormKind } from './rule-values.ts';

export const kindLabels: Readonly<Record<FormKind, string>> = {
  time: t`Time`,
  temperature: t`Temperature`,
  rate_of_rise: t`Rate of Rise`,
  reference_distance: t`Distance to the reference`,
  phase_share: t`Share of a phase`,
  channel_silent: t`No readings`,
  channel_frozen: t`Frozen value`,
};

export const sideLabels = { above: t`above`, below: t`below` } as const;

const differenceText = (c: number, units: Units): string =>
  `${formatNumber(differenceIn(c, units), 1)} ${unitOf('temperature', units)}`;

const measured = (quantity: 'temperature' | 'rate', value: number, units: Units): string => {
  const reading = readingOf(quantity, value, units);
  return `${reading.value} ${reading.unit}`;
};

/** The condition of a rule, in words: `Rate of Rise is below 4.0 °C/min`. */
export const conditionText = (condition: AlarmCondition, units: Units): string => {
  switch (condition.kind) {
    case 'time':
      return t`${formatDuration(condition.seconds)} after ${markLabels[condition.after].long}`;
    case 'temperature':
      return t`${channelLabel(condition.channel)} is ${sideLabels[condition.side]} ${measured('temperature', condition.temp_c, units)}`;
    case 'rate_of_rise':
      return t`Rate of Rise is ${sideLabels[condition.side]} ${measured('rate', condition.c_per_minute, units)}`;
    case 'reference_distance':
      return t`More than ${differenceText(condition.distance_c, units)} ${sideLabels[condition.side]} the reference`;
    case 'phase_share':
      return t`${phaseLabels[condition.phase].long} reaches ${formatPercent(condition.percent / 100)}`;
    case 'channel_silent':
      return t`${channelLabel(condition.channel)} gives no readings for ${condition.seconds} s`;
    case 'channel_frozen':
      return t`${channelLabel(condition.channel)} does not change for ${condition.seconds} s`;
    case 'rate_crash':
    case 'rate_flick':
      break;
  }
  return condition.kind === 'rate_crash'
    ? t`Rate of Rise crashes before First Crack`
    : t`Rate of Rise flicks before First Crack`;
};

/** The same with the mark that arms it. */
export const ruleText = (
  { condition, armed_after }: Pick<AlarmRule, 'condition' | 'armed_after'>,
  units: Units,
): string => {
  const text = conditionText(condition, units);
  return armed_after === 'charge' ? text : t`${text}, after ${markLabels[armed_after].long}`;
};
