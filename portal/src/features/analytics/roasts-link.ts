import type { RoastPart, RoastStatus } from '@roastery/contract/roasts';
import { paths } from '../../components/paths.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** The filters of one figure, beside those of the page. */
export interface FigureFilter extends AnalyticsFilter {
  /** Ids, separated by commas. */
  ids?: string;
  lot_id?: string;
  status?: RoastStatus;
  with?: RoastPart;
  without?: RoastPart;
  former_recipe?: string;
}

/** Address of the roasts behind a figure: the list of roasts reads the same keys. */
export const roastsLink = (filter: FigureFilter): string => {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
  return query === '' ? paths.roasts : `${paths.roasts}?${query}`;
};
