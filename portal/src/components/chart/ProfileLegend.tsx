import { formatDuration } from '@roastery/roasting/units';
import { lineValueAt, type ProfileLine } from './profile-chart-lines.ts';

interface ProfileLegendProps {
  lines: readonly ProfileLine[];
  /** Seconds under the pointer. */
  cursor: number | null;
  /** Names the roast behind. */
  reference: string | undefined;
}

/** Which line is which, with its value under the pointer. */
export const ProfileLegend = ({ lines, cursor, reference }: ProfileLegendProps) => (
  <figcaption className="flex flex-col gap-1.5 text-sm">
    <Row
      title={cursor === null ? 'Recipe' : `Recipe at ${formatDuration(cursor)}`}
      lines={lines.filter((line) => !line.behind)}
      cursor={cursor}
    />
    {reference !== undefined && <Row title={reference} lines={lines.filter((line) => line.behind)} cursor={cursor} />}
  </figcaption>
);

const Row = ({ title, lines, cursor }: { title: string; lines: readonly ProfileLine[]; cursor: number | null }) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
    <span className="label-mono min-w-32">{title}</span>
    {lines.map((line) => {
      const value = cursor === null ? null : lineValueAt(line, cursor);
      return (
        <span key={line.label} className="inline-flex items-center gap-1.5">
          <svg width={22} height={8} aria-hidden>
            <line
              x1={0}
              x2={22}
              y1={4}
              y2={4}
              stroke={line.borderColor}
              strokeWidth={line.borderWidth}
              strokeDasharray={line.borderDash.join(' ')}
            />
          </svg>
          {line.label}
          <span className="figures min-w-14 text-strong">
            {value !== null && (
              <>
                {line.unit.startsWith('°') ? value.toFixed(1) : Math.round(value)}
                <span className="text-muted"> {line.unit}</span>
              </>
            )}
          </span>
        </span>
      );
    })}
  </div>
);
