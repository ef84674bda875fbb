import { ChevronRight } from 'lucide-react';
import { Link } from 'react-router-dom';
import { t } from '../../language/t.ts';

interface FiguresTableProps {
  /** Column heads; the first names the rows. */
  heads: readonly string[];
  rows: readonly { key: string; name: string; link?: string; values: readonly string[] }[];
}

/** A chart's figures as a table, for reading and copying. */
export const FiguresTable = ({ heads, rows }: FiguresTableProps) => (
  <details className="group rounded-lg border border-stroke bg-surface">
    <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-4 text-sm font-medium text-content hover:text-strong [&::-webkit-details-marker]:hidden">
      <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
      {t`Figures as a table`}
    </summary>
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a box that scrolls must be scrollable by keyboard */}
    <div className="max-h-96 overflow-auto border-t border-stroke focus-visible:-outline-offset-2" tabIndex={0}>
      <table className="w-full text-sm">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {heads.map((head, index) => (
              <th
                key={head}
                scope="col"
                className={`label-mono h-9 px-4 font-medium whitespace-nowrap ${index === 0 ? 'text-left' : 'text-right'}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, link, values }) => (
            <tr key={key} className="border-t border-stroke">
              <th scope="row" className="figures h-9 px-4 text-left font-normal whitespace-nowrap">
                {link === undefined ? (
                  name
                ) : (
                  <Link to={link} className="rounded-sm text-accent-text hover:underline">
                    {name}
                  </Link>
                )}
              </th>
              {values.map((value, index) => (
                <td key={heads[index + 1]} className="figures px-4 text-right whitespace-nowrap text-strong">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
