import type { Roast, RoastRow } from '@roastery/contract/roasts';
import { paths } from '../paths.ts';
import { formatDuration } from '@roastery/roasting/units';
import { formatPercent } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';

/** Number of a roast in its details; `PR-` and eight characters if the roastery gave none. */
export const roastNumber = ({ id, roast_number: number }: Pick<RoastRow, 'id' | 'roast_number'>): string =>
  number === '' ? `PR-${id.slice(0, 8)}` : number;

/**
 * `Batch A-17`, or `Batch P5-42 (imported)`. Until its charge has arrived, the first eight characters of the id stand in, as
 * provisional.
 */
export const batchLabel = ({
  id,
  batch_number: number,
  is_numbered: isNumbered,
  source_batch: source,
}: Pick<RoastRow, 'id' | 'batch_number' | 'is_numbered' | 'source_batch'>): string => {
  if (number !== null) return t`Batch ${number}`;
  if (isNumbered) return t`Batch #${id.slice(0, 8)} (provisional)`;
  return source === null ? t`Imported` : t`Batch ${source} (imported)`;
};

/** Name of a roast on the detail page. */
export const coffeeName = ({ coffee_name: name }: Pick<RoastRow, 'coffee_name'>): string => name ?? t`Unnamed Roast`;

/** `R-11 · Fazenda Alta` */
export const roastName = (roast: Pick<RoastRow, 'said_number' | 'coffee_name'>): string =>
  `${roast.said_number} · ${coffeeName(roast)}`;

/** The level of a roast, else its target level; `Soft` is the label of a roast with neither. */
export const levelLabel = ({
  roast_level: reached,
  roast_level_target: meant,
}: Pick<RoastRow, 'roast_level' | 'roast_level_target'>): string => reached ?? meant ?? t`Soft`;

/** Development as time and share: `2:24 · 19.4%`. */
export const developmentText = (
  roast: Pick<RoastRow, 'development_time_seconds' | 'development_time_ratio'>,
): string => {
  if (roast.development_time_seconds === null) return '--';
  const ratio = roast.development_time_ratio;
  return `${formatDuration(roast.development_time_seconds)}${ratio === null ? '' : ` · ${formatPercent(ratio)}`}`;
};

/** Time shown around a roast on its machine's timeline, ms: enough to see the roasts before and after. */
const aroundMs = 15 * 60_000;
/** A roast that runs, or has no end, is shown for this long, ms. */
const openMs = 30 * 60_000;

/** The position of a roast on the timeline of its machine. */
export const timelineOf = (
  { id, recorded, start_time }: Pick<Roast, 'id' | 'recorded' | 'start_time'>,
  machineId: string,
) => {
  const from = Date.parse(recorded?.from ?? start_time);
  const to = typeof recorded?.to === 'string' ? Date.parse(recorded.to) : from + openMs;
  const span = { from: new Date(from - aroundMs).toISOString(), to: new Date(to + aroundMs).toISOString() };
  return paths.timeline(machineId, { ...span, roast: id });
};
