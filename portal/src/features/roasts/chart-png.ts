import { getRoastCurveColumns, type CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { formatDuration, formatTemperature } from '@roastery/roasting/units';
import { call } from '../../api/call.ts';
import { holesOf } from '../../components/chart/curves.ts';
import { overlayPlugin, type Overlay } from '../../components/chart/overlay.ts';
import { readPalette, type ColourOf, type Palette } from '../../components/chart/palette.ts';
import { pixelDecimation } from '../../components/chart/pixel-decimation.ts';
import {
  phasesOfMarks,
  dropSecondsOf,
  roastDatasets,
  roastOptions,
  roastOverlay,
  topOf,
} from '../../components/chart/roast-chart-config.ts';
import { timeScale } from '../../components/chart/time-scale.ts';
import { createTimeView } from '../../components/chart/time-view.ts';
import type { Units } from '../../format/quantities.ts';
import { saveFile } from '../../components/save-file.ts';
import { withResolution } from './png-resolution.ts';
import { coffeeName, developmentText } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';

/** A4 wide at 300 dpi, drawn at 3 pixels per unit, so that 11 units print as 8 points. */
const dotsPerInch = 300;
const scale = 3;
const sheet = { width: 1169, height: 826, margin: 40 };
const headHeight = 96;
const footHeight = 26;
const sans = "'Geist Variable', system-ui, sans-serif";

/** The light tokens, whatever theme is on screen: the picture goes on paper. */
const lightTokens = <Made>(make: (colourOf: ColourOf) => Made): Made => {
  const probe = document.createElement('div');
  probe.dataset['theme'] = 'light';
  probe.hidden = true;
  document.body.append(probe);
  try {
    const style = getComputedStyle(probe);
    return make((token) => style.getPropertyValue(`--${token}`).trim());
  } finally {
    probe.remove();
  }
};

export interface ChartPicture {
  readonly roast: Roast;
  readonly curve: CurveColumns;
  readonly reference: { readonly name: string; readonly curve: CurveColumns } | undefined;
  readonly shown: Readonly<Record<string, boolean>>;
  readonly units: Units;
  /** The time of the charge, in the portal's format. */
  readonly charged: string;
}

const drawHead = (
  context: CanvasRenderingContext2D,
  palette: Palette,
  { roast, units, charged }: ChartPicture,
): void => {
  const right = sheet.width - sheet.margin;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  context.fillStyle = palette.strong;
  context.font = `600 24px ${sans}`;
  context.fillText(coffeeName(roast), sheet.margin, sheet.margin + 22, right - sheet.margin);
  context.fillStyle = palette.muted;
  context.font = `400 13px ${sans}`;
  const about = [roast.said_number, roast.coffee_origin, roast.roast_level, roast.machine_name, charged];
  const words = about.filter((part) => part !== null && part !== '').join(' · ');
  context.fillText(words, sheet.margin, sheet.margin + 44, right - sheet.margin);
  const figures: readonly (readonly [string, string])[] = [
    [t`Duration`, formatDuration(roast.duration_seconds)],
    [t`Charge`, formatTemperature(roast.charge_temp, units.temperature_unit)],
    [t`First crack`, formatDuration(roast.first_crack_time)],
    [t`Development`, developmentText(roast)],
    [t`Drop`, formatTemperature(roast.drop_temp, units.temperature_unit)],
  ];
  let at = sheet.margin;
  for (const [label, value] of figures.filter(([, text]) => text !== '--')) {
    context.font = `400 13px ${sans}`;
    context.fillStyle = palette.muted;
    context.fillText(label, at, sheet.margin + 74);
    at += context.measureText(`${label} `).width + 2;
    context.font = `600 13px ${sans}`;
    context.fillStyle = palette.strong;
    context.fillText(value, at, sheet.margin + 74);
    at += context.measureText(value).width + 28;
  }
};

const drawFoot = (context: CanvasRenderingContext2D, palette: Palette, picture: ChartPicture, names: string): void => {
  const y = sheet.height - sheet.margin;
  context.font = `400 12px ${sans}`;
  context.fillStyle = palette.muted;
  context.textAlign = 'left';
  context.fillText(names, sheet.margin, y);
  if (picture.reference === undefined) return;
  context.textAlign = 'right';
  context.fillText(t`Reference: ${picture.reference.name}`, sheet.width - sheet.margin, y);
};

const canvasOf = (width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] => {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser has no canvas');
  return [canvas, context];
};

/**
 * The whole curve of a roast as a picture of its own, not of the screen: the same size on a phone, and light in the
 * dark theme.
 */
const drawPicture = async (picture: ChartPicture): Promise<HTMLCanvasElement> => {
  const { curve, reference, roast, shown, units } = picture;
  const { Chart } = await import('../../components/chart/use-chart.ts');
  await Promise.all(['600 24px', '400 13px'].map((font) => document.fonts.load(`${font} 'Geist Variable'`)));
  await document.fonts.load("500 11px 'Geist Mono Variable'");
  const { palette, datasets } = lightTokens((colourOf) => ({
    palette: readPalette(colourOf),
    datasets: roastDatasets({
      curve,
      reference: reference?.curve,
      dropSeconds: dropSecondsOf(roast.marks),
      shown,
      units,
      colourOf,
    }),
  }));
  const withRate = Boolean(shown['ror']);
  const { marks } = roast;
  const overlay: { current: Overlay } = {
    current: {
      ...roastOverlay({ palette, marks, units, withRate }),
      phases: phasesOfMarks(marks),
      holes: holesOf(curve.time_seconds),
      cursor: null,
      selected: null,
    },
  };
  const view = createTimeView(curve.time_seconds[0] ?? 0, curve.time_seconds.at(-1) ?? 60);
  const width = sheet.width - 2 * sheet.margin;
  const height = sheet.height - 2 * sheet.margin - headHeight - footHeight;
  const [drawn] = canvasOf(width, height);
  const top = topOf(datasets, units);
  const chart = new Chart(drawn, {
    type: 'line',
    data: { datasets },
    options: {
      ...roastOptions({ palette, time: timeScale(palette, view, { labels: true }), top, units, withRate }),
      responsive: false,
      devicePixelRatio: scale,
      plugins: { zoom: { zoom: { wheel: { enabled: false } } } },
    },
    plugins: [pixelDecimation, overlayPlugin(overlay, 'roast')],
  });
  try {
    const [canvas, context] = canvasOf(sheet.width * scale, sheet.height * scale);
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(drawn, sheet.margin * scale, (sheet.margin + headHeight) * scale);
    context.scale(scale, scale);
    drawHead(context, palette, picture);
    const names = datasets.flatMap(({ label }) => label || []).map((tag) => tagTexts[tag] ?? tag);
    drawFoot(context, palette, picture, names.join(' · '));
    return canvas;
  } finally {
    chart.destroy();
  }
};

/** The tags at the ends of the lines, in words. */
const tagTexts: Readonly<Record<string, string>> = {
  BT: t`BT bean temperature`,
  ET: t`ET exhaust temperature`,
  BF: t`BF burner front`,
  BB: t`BB burner back`,
  RoR: t`RoR rate of rise`,
};

/** Saves the curve of a roast as a PNG to print: A4 wide at 300 dpi, light. Throws without a curve. */
export const saveChartPng = async (about: Omit<ChartPicture, 'curve'>): Promise<void> => {
  const curve = await call(getRoastCurveColumns, { params: { id: about.roast.id } });
  if (curve.time_seconds.length === 0) throw new Error('the roast has no curve');
  const canvas = await drawPicture({ ...about, curve });
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('the picture could not be made');
  const png = withResolution(new Uint8Array(await blob.arrayBuffer()), dotsPerInch);
  saveFile({ name: `${about.roast.said_number}.png`, content: new Blob([png], { type: 'image/png' }) });
};
