import { CategoryScale, Chart, Filler, LinearScale, LineController, LineElement, PointElement } from 'chart.js';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { logError } from '../../api/error-log.ts';
import { usePrinting } from '../../ui/printing.ts';
import type { Overlay } from './overlay.ts';
import { xOptionsOf } from './pixel-decimation.ts';
import type { TimeViewStore } from './time-view.ts';

// Only the parts our charts use are bundled. Tooltip, legend and decimation are our own: shared cursor, pixel budget.
Chart.register(LineController, LineElement, PointElement, LinearScale, CategoryScale, Filler);

export { Chart };
/** Import it from here: drawing needs the parts above. */
export { Line } from 'react-chartjs-2';

export type LineChart = Chart<'line', { x: number; y: number }[]>;

let fontIsHere = false;
const fontArrived = (): void => {
  fontIsHere = true;
};
// Loaded with the code of the charts, so that the first chart has it. Without it they use another font.
const fontArrival = document.fonts
  .load("500 11px 'Geist Mono Variable'")
  .then(fontArrived)
  .catch((error: unknown) => logError('The font of the charts did not load', error));

let zoom: Promise<boolean> | undefined;
const loadZoom = async (): Promise<boolean> => {
  try {
    const { default: plugin } = await import('chartjs-plugin-zoom');
    Chart.register(plugin);
    return true;
  } catch (error) {
    logError('The zoom of the charts did not load', error);
    zoom = undefined;
    return false;
  }
};

const wakingEvents = ['pointerenter', 'pointermove', 'pointerdown', 'wheel', 'focusin'] as const;

/**
 * Enables zoom for a chart with `plugins.zoom` options. Its code is loaded when a pointer or the focus reaches the
 * chart: most people who open a roast do not zoom. True once it is loaded.
 */
export const useZoom = (chart: RefObject<LineChart | null | undefined>): boolean => {
  const [isZoomable, setZoomable] = useState(false);
  useEffect(() => {
    const around = chart.current?.canvas.parentElement;
    const stop = new AbortController();
    const begin = async (): Promise<void> => {
      const isHere = await (zoom ??= loadZoom());
      if (stop.signal.aborted || !isHere) return;
      stop.abort();
      // The update makes the new plugin listen.
      chart.current?.update('none');
      setZoomable(true);
    };
    for (const type of wakingEvents) {
      around?.addEventListener(type, () => void begin(), { passive: true, signal: stop.signal });
    }
    return () => stop.abort();
  }, [chart]);
  return isZoomable;
};

/** A ref to the newest value, for code that React does not call: a plugin reads it when the chart draws. */
export const useLatest = <Value>(value: Value): RefObject<Value> => {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
};

/** Connects a chart with the time view: a new window updates it, a moved cursor only redraws it. */
export const useChartView = (
  chart: RefObject<LineChart | null | undefined>,
  view: TimeViewStore,
  overlay: { current: Overlay },
): void => {
  const drawnCursor = useRef<number | null>(null);
  useEffect(() => {
    let frame = 0;
    const apply = (): void => {
      frame = 0;
      const current = chart.current;
      if (!current) return;
      const { from, to, cursor } = view.get();
      overlay.current.cursor = cursor;
      const x = xOptionsOf(current);
      const scale = current.scales['x'];
      // A chart that was zoomed by hand has already updated itself.
      if (x && (scale?.min !== from || scale.max !== to)) {
        x.min = from;
        x.max = to;
        current.update('none');
      } else if (cursor !== drawnCursor.current) current.draw();
      drawnCursor.current = cursor;
    };
    const stop = view.subscribe(() => {
      frame ||= requestAnimationFrame(apply);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [chart, view, overlay]);
  // A canvas does not redraw by itself when its font arrives.
  useEffect(() => {
    if (fontIsHere) return undefined;
    let isGone = false;
    const redraw = (): void => {
      if (!isGone) chart.current?.update('none');
    };
    void fontArrival.then(redraw);
    return () => {
      isGone = true;
    };
  }, [chart]);
};

/** Width of A4 without the margins of `@page` in ui/theme.css, in CSS pixels. */
const paperPixels = 702;
/** 96 dpi times three: sharp on paper. */
const paperScale = 3;

/** Draws the chart in the width of the paper while printing: a canvas does not follow the print layout. */
export const usePrintSize = (chart: RefObject<LineChart | null | undefined>): void => {
  const printing = usePrinting();
  useLayoutEffect(() => {
    const current = chart.current;
    if (!printing || !current) return undefined;
    const { devicePixelRatio } = current.options;
    Object.assign(current.options, { devicePixelRatio: paperScale });
    current.resize(paperPixels, current.canvas.parentElement?.clientHeight ?? current.height);
    return () => {
      Object.assign(current.options, { devicePixelRatio });
      current.resize();
    };
  }, [printing, chart]);
};
