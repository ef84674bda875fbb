import type { MachineLessons as SentLessons } from '@roastery/contract/machine-lessons';
import { fewestWatched } from '@roastery/roasting/forecast/machine-drift';
import { learntAheads } from '@roastery/roasting/forecast/learnt-forecast';
import type { Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { requireMachine, roastAccess } from '../../identity/access.ts';
import { newestOfMachine, pastColumns } from './forecast-basis.ts';
import { countComparable, readDepartures, readDrifts } from './machine-drifts.ts';
import { learnFromRoasts, type MachineLessons, type PastRow } from './learn-forecast.ts';

/** A few KB each. */
const maxLessons = 200;

/** What is learnt from roasts alone. */
type OfRoasts = Omit<SentLessons, 'compared_roasts' | 'needed_roasts' | 'drifts' | 'departures'>;

/** What machines have taught, computed again when roasts were added or changed. */
export const createMachineLessons = () => {
  const kept = new Map<string, { readonly from: string; readonly lessons: Promise<OfRoasts> }>();
  return {
    async of(sql: Sql, user: SignedInUser, machineId: string): Promise<SentLessons> {
      await requireMachine(sql, user, machineId, 'see');
      const past = await sql<PastRow[]>`
        SELECT ${pastColumns(sql)} FROM roasts r
         WHERE r.machine_id = ${machineId} AND r.status = 'completed'
           AND r.charge_seq IS NOT NULL AND r.drop_seq IS NOT NULL AND ${roastAccess(sql, user)}
         ORDER BY r.start_time DESC, r.id DESC LIMIT ${newestOfMachine}`;
      const key = `${machineId} ${user.id}`;
      const from = past.map((row) => `${row.id} ${row.is_complete} ${row.charge_mono_ms} ${row.drop_mono_ms}`).join();
      const known = kept.get(key);
      const watched = {
        compared_roasts: await countComparable(sql, machineId),
        needed_roasts: fewestWatched,
        drifts: await readDrifts(sql, machineId),
        departures: await readDepartures(sql, user, machineId),
      };
      if (known?.from === from) return { ...(await known.lessons), ...watched };
      const lessons = learnFromRoasts(sql, past).then(sentLessons);
      kept.delete(key);
      kept.set(key, { from, lessons });
      const [oldest] = kept.keys();
      if (kept.size > maxLessons && oldest !== undefined) kept.delete(oldest);
      lessons.catch(() => kept.delete(key));
      return { ...(await lessons), ...watched };
    },
  };
};

const sentLessons = ({ learnt, record, probeLags, roasts }: MachineLessons): OfRoasts => {
  const lags = probeLags.toSorted((a, b) => a - b);
  const quantile = (share: number) => lags[Math.floor(share * (lags.length - 1))] ?? 0;
  return {
    roasts: roasts.length,
    from: roasts[0]?.start_time ?? null,
    to: roasts.at(-1)?.start_time ?? null,
    forecast: record && {
      is_shown: learnt !== null,
      times_first_crack: learnt?.timesFirstCrack ?? false,
      judged_roasts: record.roasts,
      ahead: learntAheads.map((seconds, at) => ({
        ahead_seconds: seconds,
        error: record.errorsC[at] ?? null,
        error_from_150: record.hotErrorsC[at] ?? null,
        error_of_line: record.rateOfNowErrorsC[at] ?? null,
        held: record.held[at] ?? null,
        held_from_150: record.hotHeld[at] ?? null,
      })),
    },
    probe_lag:
      lags.length < fewestLags
        ? null
        : { seconds: quantile(0.5), low: quantile(0.25), high: quantile(0.75), roasts: lags.length },
  };
};
/** With fewer the half of the roasts is a guess. */
const fewestLags = 4;
