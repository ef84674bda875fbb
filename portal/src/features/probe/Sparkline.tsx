import { tenth } from '../../format/numbers.ts';
const [width, height] = [96, 24];

/** The newest values as a curve; for the eye alone, the figures stand beside it. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  const shown = values.slice(-60);
  const low = Math.min(...shown);
  const span = Math.max(...shown) - low;
  const points = shown.map((value, index) => {
    const x = shown.length < 2 ? width : (index / (shown.length - 1)) * width;
    const y = span === 0 ? height / 2 : height - 2 - ((value - low) / span) * (height - 4);
    return `${tenth(x)},${tenth(y)}`;
  });
  return (
    <svg aria-hidden viewBox={`0 0 ${width} ${height}`} className="h-6 w-24 text-accent-text">
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
};
