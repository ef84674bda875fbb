import { wallEventShape, wallLive, type WallAlarm, type WallEvent, type WallMachine } from '@roastery/contract/wall';
import { describeRefusal, parseJson } from '@roastery/contract/parse-shape';
import { createLiveRateOfRise } from '@roastery/roasting/curves/rate-of-rise';
import { addressOf } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { openSharedStream } from '../../api/shared-stream.ts';

const eventTypes = ['hello', 'curve', 'reading', 'status', 'alarms', 'changed'] as const satisfies WallEvent['type'][];
/** The small curve draws one point a second; older points of an idle machine are dropped. */
const minStepMs = 1000;
const maxIdleMs = 10 * 60_000;

/** The known state of a machine. A new object for each change; the curve is appended in place. */
export interface WallTrack {
  readonly connection: WallMachine['connection'] | null;
  /** The machine does not answer its board. */
  readonly isSilent: boolean;
  /** When the newest reading arrived here, epoch ms. */
  readonly readingAt: number | null;
  /** When the end of the curve was measured, epoch ms by the clock of this screen. */
  readonly endedAt: number | null;
  readonly beanC: number | null;
  /** °C/min; null before the charge. */
  readonly rateC: number | null;
  /** Since the charge; null while no roast runs. */
  readonly elapsedSeconds: number | null;
  readonly chargeMono: number | null;
  /** Current alarms that are not acknowledged, newest first. */
  readonly alarms: readonly WallAlarm[];
  readonly curve: { readonly mono: number[]; readonly bean: (number | null)[] };
}

const unheard = (): WallTrack => ({
  connection: null,
  isSilent: false,
  readingAt: null,
  endedAt: null,
  beanC: null,
  rateC: null,
  elapsedSeconds: null,
  chargeMono: null,
  alarms: [],
  curve: { mono: [], bean: [] },
});

export interface WallFeed {
  readonly get: (machineId: string) => WallTrack;
  readonly subscribe: (machineId: string, listener: () => void) => () => void;
  /**
   * Opens the connection; the returned function closes it. `onChanged`: a roast began, changed or ended, a machine began or
   * ceased to answer, or the connection is new. Not for the first one: the list was just read.
   */
  readonly start: (onChanged: () => void) => () => void;
}

/** Adds a point to the curve; a restarted clock starts it again. */
const addPoint = ({ mono, bean }: WallTrack['curve'], at: number, value: number | null, keepsAll: boolean): void => {
  const last = mono.at(-1);
  if (last !== undefined && at < last) {
    mono.length = 0;
    bean.length = 0;
  } else if (last !== undefined && at - last < minStepMs) return;
  mono.push(at);
  bean.push(value);
  if (keepsAll) return;
  const from = mono.findIndex((one) => one >= at - maxIdleMs);
  if (from > 60) {
    mono.splice(0, from);
    bean.splice(0, from);
  }
};

type RateOfRise = ReturnType<typeof createLiveRateOfRise>;

const withReading = (track: WallTrack, event: Extract<WallEvent, { type: 'reading' }>, rate: RateOfRise): WallTrack => {
  const { mono, bean_temp: beanC, charge_mono: chargeMono } = event;
  addPoint(track.curve, mono, beanC, chargeMono !== null);
  const elapsedSeconds = chargeMono === null ? null : (mono - chargeMono) / 1000;
  if (chargeMono !== track.chargeMono) rate.reset();
  const rateC = elapsedSeconds === null || elapsedSeconds < 0 ? null : rate.push(mono / 1000, beanC);
  const now = Date.now();
  return {
    ...track,
    connection: 'online',
    isSilent: false,
    readingAt: now,
    endedAt: now,
    beanC,
    rateC,
    elapsedSeconds,
    chargeMono,
  };
};

/** The curve so far, and the rate of rise that continues from its end. */
const withCurve = (track: WallTrack, event: Extract<WallEvent, { type: 'curve' }>, rate: RateOfRise): WallTrack => {
  const { mono, bean_temp: bean, charge_mono: chargeMono, age_ms: ageMs } = event;
  rate.reset();
  if (chargeMono !== null) {
    for (const [index, at] of mono.entries()) if (at >= chargeMono) rate.push(at / 1000, bean[index] ?? null);
  }
  const endedAt = ageMs === null ? null : Date.now() - ageMs;
  return { ...track, chargeMono, endedAt, curve: { mono: [...mono], bean: [...bean] } };
};

/** Follows all machines of the wall over one stream, which all tabs of the browser share. */
export const createWallFeed = (): WallFeed => {
  const tracks = new Map<string, WallTrack>();
  const rates = new Map<string, RateOfRise>();
  const listeners = new Map<string, Set<() => void>>();

  const get = (id: string): WallTrack => {
    const known = tracks.get(id) ?? unheard();
    tracks.set(id, known);
    return known;
  };
  const rateOf = (id: string): RateOfRise => {
    const known = rates.get(id) ?? createLiveRateOfRise();
    rates.set(id, known);
    return known;
  };

  const next = (event: WallEvent): WallTrack => {
    const { machine_id: id } = event;
    const track = get(id);
    if (event.type === 'reading') return withReading(track, event, rateOf(id));
    if (event.type === 'curve') return withCurve(track, event, rateOf(id));
    if (event.type === 'alarms') return { ...track, alarms: event.alarms };
    // Current alarms follow the curve.
    if (event.type === 'hello' || event.type === 'status') {
      const { connection, is_silent: isSilent } = event;
      return { ...track, connection, isSilent, ...(event.type === 'hello' && { alarms: [] }) };
    }
    const isOver = event.charge_mono === null;
    return {
      ...track,
      chargeMono: event.charge_mono,
      ...(isOver && { elapsedSeconds: null, rateC: null, alarms: [] }),
    };
  };

  /** Returns whether the list of the machines has changed. */
  const receive = (data: string): boolean => {
    const parsed = parseJson(wallEventShape, data);
    if (!parsed.success) {
      logError('A wall event has a shape this page does not know', describeRefusal(parsed));
      return false;
    }
    const event = parsed.data;
    const { isSilent } = get(event.machine_id);
    const track = next(event);
    tracks.set(event.machine_id, track);
    for (const listener of listeners.get(event.machine_id) ?? []) listener();
    return event.type === 'changed' || track.isSilent !== isSilent;
  };

  const start: WallFeed['start'] = (onChanged) => {
    const address = addressOf(wallLive, undefined, undefined);
    let wasUp = false;
    return openSharedStream({
      address,
      machineId: null,
      ownAddress: () => address,
      types: eventTypes,
      onEvent(data) {
        if (receive(data)) onChanged();
      },
      // Also when it is lost: the list reports at once that a link was revoked, or a machine was lost.
      onLink(up) {
        if (up && !wasUp) wasUp = true;
        else onChanged();
      },
    });
  };

  return {
    get,
    subscribe(id, listener) {
      const all = listeners.get(id) ?? new Set();
      listeners.set(id, all.add(listener));
      return () => all.delete(listener);
    },
    start,
  };
};
