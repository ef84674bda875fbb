import { saveFile } from '../../components/save-file.ts';

/** Pixels per CSS pixel of an exported chart: 1,200 CSS px at 3 × prints 30 cm wide at 300 dpi. */
const printScale = 3;

/** Saves the temperature chart on the page as a PNG on the page's own surface colour, large enough to print. */
export const saveChartPng = async (name: string): Promise<void> => {
  const canvas = document.querySelector<HTMLCanvasElement>('[data-testid="roast-chart"] canvas');
  if (!canvas) throw new Error('there is no chart on this page');
  const { Chart } = await import('../../components/chart/chart-parts.ts');
  const chart = Chart.getChart(canvas);
  if (!chart) throw new Error('the chart is not drawn yet');
  const { width, height } = chart;
  const out = document.createElement('canvas');
  const ratio = chart.currentDevicePixelRatio;
  try {
    chart.options.devicePixelRatio = printScale;
    chart.resize(width, height);
    out.width = canvas.width;
    out.height = canvas.height;
    const context = out.getContext('2d');
    if (!context) throw new Error('this browser has no canvas');
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--surface');
    context.fillRect(0, 0, out.width, out.height);
    context.drawImage(canvas, 0, 0);
  } finally {
    chart.options.devicePixelRatio = ratio;
    chart.resize(width, height);
  }
  const blob = await new Promise<Blob | null>((resolve) => out.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('the picture could not be made');
  saveFile(`${name}.png`, blob);
};
