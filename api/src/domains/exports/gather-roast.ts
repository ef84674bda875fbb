import { channelUnit, channelUnits, knownChannels, type KnownChannel } from '@roastery/contract/channels';
import type { Reading } from '@roastery/roasting/curves/series';
import type { SignedInUser } from '../../http/server-context.ts';
import type { Database } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { type CurveMargins, openCurve, wholeCurve } from '../roasts/curves/roast-curve.ts';
import { readRoast } from '../roasts/roast-row.ts';
import { type GatheredChannel, type GatheredRoast, packed } from './exported-roast.ts';

/** An imported file is exported whole. A board records between roasts too: a margin around the roast is enough. */
const marginsOf: Record<'upload' | 'agent', CurveMargins> = {
  upload: { before: 86_400, after: 86_400 },
  agent: { before: 120, after: 300 },
};

const labels: Readonly<Record<KnownChannel, string>> = {
  bean_temp: 'Bean temp',
  exhaust_temp: 'Exhaust temp',
  burner_front_temp: 'Burner front',
  burner_back_temp: 'Burner back',
  heat_power: 'Burner',
  fan_speed: 'Air',
  drum_speed: 'Drum',
};

const spoken = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

type StoredLabels = Readonly<Record<string, { label?: string; unit?: string }>>;

/** The known channels first and in their order, then the recording's own. */
const describeChannels = (curve: ReadonlyMap<string, readonly Reading[]>, stored: StoredLabels): GatheredChannel[] => {
  const known: readonly string[] = knownChannels;
  const names = [
    ...known.filter((name) => curve.has(name)),
    ...[...curve.keys()].filter((name) => !known.includes(name)),
  ];
  const taken = new Set<string>();
  return names.flatMap((name) => {
    const values = curve.get(name) ?? [];
    if (name !== 'bean_temp' && values.every((value) => value === null)) return [];
    const isKnown = known.includes(name);
    const own = isKnown ? labels[name as keyof typeof labels] : (stored[name]?.label ?? spoken(name));
    const label = taken.has(own) ? `${own} ${name}` : own;
    taken.add(label);
    const unit = channelUnits.find((candidate) => candidate === stored[name]?.unit);
    return [
      {
        name,
        label,
        unit: isKnown || stored[name] === undefined ? channelUnit(name) : (unit ?? ''),
        values: packed(values),
      },
    ];
  });
};

/**
 * All data of a roast for a file. Throws `not_found`, also for a roast of another user.
 * @param only the channels that the file shows; all of them when not given
 */
export const gatherRoast = async (
  sql: Database,
  user: SignedInUser,
  id: string,
  only?: readonly string[],
): Promise<GatheredRoast> => {
  const [found, [recording]] = await Promise.all([
    readRoast(sql, id, user),
    sql<{ source: string; channel_labels: StoredLabels | null }[]>`
      SELECT c.source, c.channel_labels FROM recordings c JOIN roasts r ON r.recording_id = c.id WHERE r.id = ${id}`,
  ]);
  if (found === undefined) throw notFound('Roast');
  const { roast } = found;
  const opened = await openCurve(sql, user, id, marginsOf[recording?.source === 'upload' ? 'upload' : 'agent'], only);
  if (opened === undefined) throw notFound('Roast');
  const { timeSeconds, window, channels } = await wholeCurve(opened);
  const chargeSeconds = Math.max(0, -(timeSeconds[0] ?? 0));
  return {
    roast,
    timesSeconds: packed(timeSeconds),
    window,
    channels: describeChannels(channels, recording?.channel_labels ?? {}),
    chargeSeconds,
    recordedAtMs: Date.parse(roast.start_time) - Math.round(chargeSeconds * 1000),
  };
};
