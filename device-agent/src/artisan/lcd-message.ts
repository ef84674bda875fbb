import { parseJson } from '@roastery/contract/parse-shape';
import { coldestC, fToC, hottestC, type TemperatureUnit } from '@roastery/roasting/units';
import { z } from 'zod';

/**
 * A message of Artisan's WebLCDs: `{"data":{"bt":"187.4","et":"203.0"}}` at each of its readings and
 * `{"data":{"time":"03:12"}}` each second of a recording. An absent key means no change. A display without a value
 * shows letters or dashes.
 */
const messageShape = z.object({
  data: z
    .object({ bt: z.string().optional(), et: z.string().optional(), time: z.string().optional() })
    .optional()
    .catch(undefined),
});

/** A temperature: a number as displayed, `no_value` for anything else, undefined if the message has none. */
export type Displayed = number | 'no_value' | undefined;

export interface LcdMessage {
  readonly bean: Displayed;
  readonly exhaust: Displayed;
  /** The timer, s. */
  readonly seconds: number | undefined;
}

const temperatureOf = (text: string | undefined): Displayed => {
  if (text === undefined) return undefined;
  // An empty text would parse as 0.
  return /^\s*-?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : 'no_value';
};

/** `03:12`, `-00:05`, `1:02:03`, and `01h05`, to the minute, after an hour; undefined for anything else. */
const secondsOf = (text: string | undefined): number | undefined => {
  const long = /^\s*(-?)(\d+)h(\d{2})\s*$/.exec(text ?? '');
  if (long !== null) return (long[1] === '-' ? -60 : 60) * (Number(long[2]) * 60 + Number(long[3]));
  const parts = /^\s*(-?)(?:(\d+):)?(\d+):(\d{2})\s*$/.exec(text ?? '');
  if (parts === null) return undefined;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = parts;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
};

/** Undefined for a message that is not from WebLCDs, or is an alarm. */
export const readLcdMessage = (text: string): LcdMessage | undefined => {
  const parsed = parseJson(messageShape, text);
  if (!parsed.success || parsed.data.data === undefined) return undefined;
  const { bt, et, time } = parsed.data.data;
  return { bean: temperatureOf(bt), exhaust: temperatureOf(et), seconds: secondsOf(time) };
};

/** A displayed temperature in °C; null where there is none, or one outside a probe's range. */
export const celsiusOf = (displayed: Displayed, unit: TemperatureUnit): number | null => {
  if (typeof displayed !== 'number') return null;
  const tempC = unit === 'F' ? fToC(displayed) : displayed;
  return tempC > coldestC && tempC < hottestC ? Math.round(tempC * 100) / 100 : null;
};

/** The timer ticks each second: after a longer pause it may have been stopped, reset and started. */
const tickingMs = 2500;
/** A timer that goes back by this much has restarted. */
const minFallSeconds = 3;
const beginsAtSeconds = 2;

/**
 * Detects the charge from Artisan's timer. It starts at START, restarts at CHARGE and in newer versions again at DROP,
 * and the protocol does not name the event. It is a charge if the timer started after a silence on the open connection
 * (START), continued without a pause, and then restarts. In any other case the detector and the file find the charge.
 */
export const createChargeEar = () => {
  let last: { seconds: number; atMs: number } | undefined;
  let openedAtMs = Number.NEGATIVE_INFINITY;
  let isStarted = false;
  return {
    /** The connection to Artisan was opened: earlier messages are unknown. */
    opened(nowMs: number): void {
      last = undefined;
      openedAtMs = nowMs;
      isStarted = false;
    },
    /** True when this tick is the first after a charge. */
    hears(seconds: number, nowMs: number): boolean {
      const before = last;
      last = { seconds, atMs: nowMs };
      const silentSince = before?.atMs ?? openedAtMs;
      if (nowMs - silentSince > tickingMs) {
        isStarted = Math.abs(seconds) <= beginsAtSeconds;
        return false;
      }
      if (before === undefined) return false;
      const beganAgain = before.seconds - seconds >= minFallSeconds && seconds <= beginsAtSeconds && seconds >= 0;
      if (!beganAgain) return false;
      const isCharge = isStarted;
      isStarted = false;
      return isCharge;
    },
  };
};
