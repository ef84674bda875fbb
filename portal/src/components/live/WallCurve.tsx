import type { WallRoast } from '@roastery/contract/wall';
import { useEffect, useMemo, useRef } from 'react';
import { colourToken, useTheme } from '../../ui/theme.ts';
import type { WallFeed, WallTrack } from './wall-feed.ts';

interface WallCurveProps {
  feed: WallFeed;
  machineId: string;
  reference: WallRoast['reference'];
  /** Whether readings arrive. Readings before a machine went silent are drawn in grey, up to that time. */
  isLive: boolean;
}

/** A roast of ten minutes moves by a pixel in two seconds on a curve of 300 pixels. */
const drawEveryMs = 2000;
const minAxisSeconds = 8 * 60;
export const idleAxisSeconds = 5 * 60;
/** The axis of a roast whose board is silent continues for this long. */
const maxSilentSeconds = 10 * 60;
const marginC = 8;

/**
 * The bean temperature so far over its reference. A canvas of its own: a chart library for 24 of them would be too slow
 * for a television.
 */
export const WallCurve = ({ feed, machineId, reference, isLive }: WallCurveProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const colours = useMemo(
    () => ({ bean: colourToken(isLive ? 'curve-bean' : 'muted'), reference: colourToken('muted') }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- colours change with the theme
    [theme, isLive],
  );
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    let drawnAt = Number.NEGATIVE_INFINITY;
    let frame = 0;
    const redraw = () => {
      frame = 0;
      drawnAt = performance.now();
      draw(element, feed.get(machineId), reference, colours, isLive);
    };
    const request = () => {
      if (performance.now() - drawnAt >= drawEveryMs) frame ||= requestAnimationFrame(redraw);
    };
    const observer = new ResizeObserver(() => {
      frame ||= requestAnimationFrame(redraw);
    });
    observer.observe(element);
    const unsubscribe = feed.subscribe(machineId, request);
    // Without readings the curve still moves away from now.
    const timer = isLive ? undefined : setInterval(request, drawEveryMs);
    return () => {
      unsubscribe();
      clearInterval(timer);
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [feed, machineId, reference, colours, isLive]);
  return <canvas ref={canvas} aria-hidden className="absolute inset-0 size-full" />;
};

interface Colours {
  readonly bean: string;
  readonly reference: string;
}
interface Line {
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  /** Seconds since the charge. */
  readonly secondOf: (x: number) => number;
}

const draw = (
  element: HTMLCanvasElement,
  { curve, chargeMono, endedAt }: WallTrack,
  reference: WallRoast['reference'],
  colours: Colours,
  isLive: boolean,
): void => {
  const scale = devicePixelRatio;
  const { clientWidth: width, clientHeight: height } = element;
  const context = element.getContext('2d');
  if (context === null || width === 0 || height === 0) return;
  element.width = Math.round(width * scale);
  element.height = Math.round(height * scale);
  context.scale(scale, scale);
  const isRoasting = chargeMono !== null;
  const last = curve.mono.at(-1) ?? 0;
  const silentMs = isLive || endedAt === null ? 0 : Math.max(0, Date.now() - endedAt);
  const zero = chargeMono ?? last + silentMs;
  const live: Line = { x: curve.mono, y: curve.bean, secondOf: (mono) => (mono - zero) / 1000 };
  const lines: Line[] =
    reference === null ? [live] : [{ x: reference.time_seconds, y: reference.bean_temp, secondOf: asItIs }, live];
  const elapsedSeconds = (last - zero) / 1000 + Math.min(silentMs / 1000, maxSilentSeconds);
  const end = Math.max(minAxisSeconds, elapsedSeconds * 1.05, reference?.time_seconds.at(-1) ?? 0);
  const [from, to] = isRoasting ? [-15, end] : [-idleAxisSeconds, 0];
  const [low, high] = rangeOf(lines, from);
  if (low > high) return;
  const place = { from, to, low: low - marginC, high: high + marginC, width, height };
  context.lineJoin = 'round';
  for (const line of lines) {
    const [colour, part] = line === live ? [colours.bean, 45] : [colours.reference, 90];
    stroke(context, line, place, colour, Math.max(1, Math.min(height, width / 3) / part));
  }
};

const asItIs = (seconds: number): number => seconds;

/** Lowest and highest temperature from a moment on. */
const rangeOf = (lines: readonly Line[], from: number): [number, number] => {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y, secondOf } of lines) {
    for (let index = 0; index < x.length; index++) {
      const value = y[index] ?? null;
      if (value === null || secondOf(x[index] ?? 0) < from) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
};

interface Place {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  readonly width: number;
  readonly height: number;
}

const stroke = (
  context: CanvasRenderingContext2D,
  { x, y, secondOf }: Line,
  place: Place,
  colour: string,
  width: number,
): void => {
  const { from, to, low, high } = place;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  let isOpen = false;
  for (let index = 0; index < x.length; index++) {
    const time = secondOf(x[index] ?? 0);
    const value = y[index] ?? null;
    if (value === null || time < from || time > to) {
      isOpen = false;
      continue;
    }
    const left = ((time - from) / (to - from)) * place.width;
    const top = place.height - ((value - low) / (high - low)) * place.height;
    if (isOpen) context.lineTo(left, top);
    else context.moveTo(left, top);
    isOpen = true;
  }
  context.stroke();
};
