import { shareOf, type BlendLine } from './blend-values.ts';

const shades = ['bg-accent', 'bg-accent/70', 'bg-accent/45', 'bg-accent/25'];

/** What each roast makes of the blend, as lengths; the figures stand in the list below it. */
export const ShareBar = ({ lines, total }: { lines: readonly BlendLine[]; total: number }) => (
  <div aria-hidden className="flex h-2 gap-px overflow-hidden bg-sunken">
    {lines.map((line, place) => (
      <span
        key={line.roastId}
        className={shades[place % shades.length]}
        style={{ width: `${(shareOf(line, total) ?? 0) * 100}%` }}
      />
    ))}
  </div>
);
