import { paths } from '../../components/paths.ts';
import type { AnalyticsFilter } from './use-analytics-filter.ts';

/** Address of the roasts behind a figure: the list of roasts reads the same keys. */
export const roastsLink = (filter: AnalyticsFilter & { lot_id?: string }): string => {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
  return query === '' ? paths.roasts : `${paths.roasts}?${query}`;
};
