import { formatDuration } from '@roastery/roasting/units';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { lineValueAt, type ProfileLine } from './profile-chart-lines.ts';
import { t } from '../../language/t.ts';

interface ProfileLegendProps {
  lines: readonly ProfileLine[];
  /** Seconds under the pointer. */
  cursor: number | null;
  /** Name of the reference roast, if there is one. */
  reference: string | undefined;
}

/** Legend of the lines, with the values of recipe and reference under the pointer. */
export const ProfileLegend = ({ lines, cursor, reference }: ProfileLegendProps) => {
  const labels = [...new Map(lines.map(({ label, unit }) => [label, unit])).entries()];
  return (
    <table className="w-full table-fixed text-xs sm:text-sm">
      <thead>
        <tr className="[&>th]:pb-1 [&>th]:text-left [&>th]:font-medium">
          <th scope="col" className="label-mono figures w-22 sm:w-32">
            {cursor === null ? <span className="sr-only">{t`Line`}</span> : t`At ${formatDuration(cursor)}`}
          </th>
          {labels.map(([label, unit]) => (
            <th key={label} scope="col" className="truncate text-content">
              {label} <span className="font-normal text-muted max-sm:hidden">{unit}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[false, true].map((behind) =>
          behind && reference === undefined ? null : (
            <tr key={String(behind)} className="h-6">
              <th scope="row" className="truncate text-left font-normal text-muted">
                {behind ? reference : t`Recipe`}
              </th>
              {labels.map(([label]) => (
                <Sample
                  key={label}
                  line={lines.find((line) => line.label === label && line.behind === behind)}
                  cursor={cursor}
                />
              ))}
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
};

const Sample = ({ line, cursor }: { line: ProfileLine | undefined; cursor: number | null }) => {
  const value = line === undefined || cursor === null ? null : lineValueAt(line, cursor);
  return (
    <td className="figures whitespace-nowrap text-strong">
      {line === undefined ? (
        <span className="text-faint">--</span>
      ) : (
        <span className="inline-flex items-center gap-1.5">
          <svg width={18} height={8} aria-hidden>
            <line
              x2={18}
              y1={4}
              y2={4}
              stroke={line.borderColor}
              strokeWidth={line.borderWidth}
              strokeDasharray={line.borderDash.join(' ')}
            />
          </svg>
          {value !== null && (line.unit.startsWith('°') ? formatNumber(value, 1) : formatCount(value))}
        </span>
      )}
    </td>
  );
};
