import { maxRoastAlarms, type RecentAlarm, type RoastAlarm } from '@roastery/contract/alarms';
import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import type { Database, Sql } from '../../db/sql.ts';
import type { SignedInUser } from '../../http/server-context.ts';
import { roastAccess } from '../../identity/access.ts';

/** Notification channel on which every instance learns that alarms of a roast were raised, cleared or acknowledged. */
export const alarmsChangedChannel = 'alarms_changed';
/** Notification channel of the trigger on `alarm_rules`. */
export const alarmRulesChangedChannel = 'alarm_rules_changed';

const noticeShape = z.object({ roast_id: z.string(), machine_id: z.string() });

/** Undefined for a notice of another version of the api. */
export const parseAlarmNotice = (text: string): z.infer<typeof noticeShape> | undefined =>
  parseJson(noticeShape, text).data;

export interface NewAlarm {
  readonly id: string;
  readonly roast_id: string;
  readonly machine_id: string;
  readonly kind: RoastAlarm['kind'];
  readonly occurrence: string;
  readonly rule_id: string | null;
  readonly channel: string | null;
  readonly message: string | null;
  readonly colour: RoastAlarm['colour'];
  readonly sound: boolean;
  readonly push: boolean;
  readonly mono_ms: number;
  readonly happened_at: string;
  readonly is_late: boolean;
}

/** Notifies with the commit; a statement's `changed` has the roasts. */
export const notifyAlarms = (sql: Sql) => sql`
  SELECT pg_notify(${alarmsChangedChannel}, jsonb_build_object('roast_id', c.roast_id, 'machine_id', c.machine_id)::text)
  FROM (SELECT DISTINCT roast_id, machine_id FROM changed) c`;

/** For a rule: once per roast. Its id is followed by the fault. */
export const ruleOccurrence = (ruleId: string, fault: string | null): string =>
  fault === null ? ruleId : `${ruleId} ${fault}`;

const faultOf = ({ kind, channel, occurrence }: Pick<NewAlarm, 'kind' | 'channel' | 'occurrence'>): string | null => {
  if (kind === 'silent') return 'silent';
  return kind === 'frozen' ? `frozen ${channel}` : occurrence.slice(ruleIdLength + 1) || null;
};
const ruleIdLength = 36;

interface StoredAlarm extends Pick<NewAlarm, 'kind' | 'channel' | 'occurrence' | 'rule_id'> {
  /** It was sent to phones, or will be. */
  readonly is_sent: boolean;
  readonly age_seconds: number;
}

/** The same fault within this time is sent once … */
const againAfterSeconds = 600;
/** … and so are channels that fail together. */
const togetherSeconds = 60;

/** Whether phones have been notified of an alarm's fault. */
const isKnownToPhones = (alarm: NewAlarm, stored: readonly StoredAlarm[]): boolean => {
  const fault = faultOf(alarm);
  const [sort] = fault?.split(' ') ?? [];
  return stored.some((other) => {
    const known = faultOf(other);
    if (!other.is_sent || known === null || fault === null) return false;
    if (known === fault) return other.age_seconds < againAfterSeconds;
    return known.split(' ')[0] === sort && other.age_seconds < togetherSeconds;
  });
};

/**
 * Stores new alarms of one roast, and notifies all instances with the commit. Instances wait for each other: each
 * occurrence is raised once, each rule once, and phones get one message per fault.
 */
export const raiseAlarms = async (sql: Database, alarms: readonly NewAlarm[]): Promise<void> => {
  const [first] = alarms;
  if (first === undefined) return;
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(hashtextextended(${`alarms ${first.roast_id}`}, 0))`;
    const stored = await tx<StoredAlarm[]>`
      SELECT kind, channel, occurrence, rule_id, push AND NOT is_late AS is_sent,
             extract(epoch FROM clock_timestamp() - raised_at)::float8 AS age_seconds
        FROM roast_alarms WHERE roast_id = ${first.roast_id}`;
    const all = [...stored];
    const added: NewAlarm[] = [];
    for (const alarm of alarms) {
      const { occurrence, rule_id: rule, is_late: isLate } = alarm;
      if (all.some((one) => one.occurrence === occurrence || (rule !== null && one.rule_id === rule))) continue;
      const push = alarm.push && !isKnownToPhones(alarm, all);
      added.push({ ...alarm, push });
      all.push({ ...alarm, is_sent: push && !isLate, age_seconds: 0 });
    }
    if (added.length === 0) return;
    await tx`
      WITH changed AS (INSERT INTO roast_alarms ${tx(added)} RETURNING roast_id, machine_id)
      ${notifyAlarms(tx)}`;
  });
};

/** Clears alarms that are over: these occurrences, or all of a roast that has ended. Rules are not cleared. */
export const clearAlarms = async (sql: Sql, roastId: string, occurrences: readonly string[] | 'all'): Promise<void> => {
  if (occurrences.length === 0) return;
  await sql`
    WITH changed AS (
      UPDATE roast_alarms SET cleared_at = now()
      WHERE roast_id = ${roastId} AND cleared_at IS NULL AND kind <> 'rule'
        ${occurrences === 'all' ? sql`` : sql`AND occurrence = ANY(${[...occurrences]}::text[])`}
      RETURNING roast_id, machine_id)
    ${notifyAlarms(sql)}`;
};

/** The occurrence of the current silence, if there is one. */
export const readOpenSilence = async (sql: Sql, roastId: string): Promise<string | null> => {
  const [row] = await sql<{ occurrence: string }[]>`
    SELECT occurrence FROM roast_alarms WHERE roast_id = ${roastId} AND kind = 'silent' AND cleared_at IS NULL`;
  return row?.occurrence ?? null;
};

const columns = (sql: Sql) => sql`
  a.id, a.roast_id, a.kind, a.occurrence, a.rule_id, a.channel, a.message, a.colour, a.sound,
  (a.mono_ms - r.charge_mono_ms) / 1000.0 AS time_seconds,
  a.happened_at, a.raised_at, a.is_late, a.cleared_at, a.acknowledged_at, u.full_name AS acknowledged_by`;
const source = (sql: Sql) => sql`
  roast_alarms a JOIN roasts r ON r.id = a.roast_id LEFT JOIN users u ON u.id = a.acknowledged_by`;

type Row<Alarm> = Omit<Alarm, 'fault'> & Pick<NewAlarm, 'kind' | 'channel' | 'occurrence'>;

const withFault = <Alarm>({ occurrence, ...row }: Row<Alarm>) => ({ ...row, fault: faultOf({ ...row, occurrence }) });

/** In order of time. */
export const readRoastAlarms = async (sql: Sql, roastId: string): Promise<RoastAlarm[]> => {
  const rows = await sql<Row<RoastAlarm>[]>`
    SELECT ${columns(sql)} FROM ${source(sql)}
     WHERE a.roast_id = ${roastId} ORDER BY a.happened_at, a.id LIMIT ${maxRoastAlarms}`;
  return rows.map((row) => withFault(row));
};

/** The alarms on the screens of a running roast; none for a roast that has ended. */
export const readRunningAlarms = async (sql: Sql, roastId: string): Promise<RoastAlarm[]> => {
  const [roast] = await sql<{ status: string }[]>`SELECT status FROM roasts WHERE id = ${roastId}`;
  return roast?.status === 'in_progress' ? readRoastAlarms(sql, roastId) : [];
};

const maxRecentAlarms = 50;

/** Of the last day on the machines that this user may see, newest first. */
export const readRecentAlarms = async (sql: Sql, user: SignedInUser): Promise<RecentAlarm[]> => {
  const rows = await sql<Row<RecentAlarm>[]>`
    SELECT ${columns(sql)}, a.machine_id, m.display_name AS machine_name, r.batch_number, r.coffee_name,
           r.status = 'in_progress' AS is_running
      FROM ${source(sql)} JOIN machines m ON m.id = a.machine_id
     WHERE a.raised_at > now() - interval '1 day' AND ${roastAccess(sql, user)}
     ORDER BY a.raised_at DESC, a.id DESC LIMIT ${maxRecentAlarms}`;
  return rows.map((row) => withFault(row));
};
