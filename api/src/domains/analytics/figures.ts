import type { Figures } from '@roastery/contract/analytics';
import type { Sql } from '../../db/sql.ts';

/** The figures over a set of `roasts r`. Aborted and running roasts count with their weight; means are of completed ones. */
export const figureColumns = (sql: Sql) => sql`
  count(*) AS roasts,
  coalesce(sum(r.batch_size_kg), 0) AS kg,
  avg(r.duration_seconds) FILTER (WHERE r.status = 'completed') AS mean_duration_seconds,
  avg(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_ratio_mean,
  stddev_samp(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_ratio_deviation,
  count(r.development_time_ratio) FILTER (WHERE r.status = 'completed') AS development_roasts`;

export const noFigures: Figures = {
  roasts: 0,
  kg: 0,
  mean_duration_seconds: null,
  development_ratio_mean: null,
  development_ratio_deviation: null,
  development_roasts: 0,
};
