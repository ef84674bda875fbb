import type { MapChange } from './map-difference.ts';

/** What two maps say differently, place by place. */
export const Changes = ({ changes, label }: { changes: readonly MapChange[]; label?: string }) =>
  changes.length === 0 ? (
    <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">Nothing changed</p>
  ) : (
    <ul aria-label={label} className="border-t border-stroke font-mono text-xs">
      {changes.map(({ place, before, after }) => (
        <li key={place} className="flex flex-wrap gap-x-3 gap-y-0.5 border-b border-stroke px-4 py-2 last:border-0">
          <span className="min-w-0 font-medium break-all text-strong">{place}</span>
          {before !== undefined && (
            <del className="break-all text-danger">
              <span className="sr-only">was </span>
              {before}
            </del>
          )}
          {after !== undefined && (
            <ins className="break-all text-success no-underline">
              <span className="sr-only">is </span>
              {after}
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
