import { useLayoutEffect, type RefObject } from 'react';
import { usePrinting } from '../../ui/printing.ts';
import type { Chart } from './chart-parts.ts';

/** Width of what `@page` in ui/theme.css leaves of A4, in CSS pixels. */
const paperPixels = 702;
/** 96 dpi times three: sharp on paper. */
const paperScale = 3;

/** A canvas does not follow the layout of the paper: draws it in that width, and as before afterwards. */
export const usePrintSize = (chart: RefObject<Chart<'line', { x: number; y: number }[]> | null | undefined>): void => {
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
