import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast, RoastMark } from '@roastery/contract/roasts';
import { getRoasterySettings, type RoasterySettings } from '@roastery/contract/settings';
import { valueAt } from '@roastery/roasting/curves/series';
import { formatDuration } from '@roastery/roasting/units';
import { useState } from 'react';
import { useApi, useSettled } from '../../api/use-api.ts';
import { markLabels } from '../../components/chart/mark-layout.ts';
import { Measure } from '../../components/figures.tsx';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { usePrinting } from '../../ui/printing.ts';

const isText = (text: string | null): text is string => text !== null && text.trim() !== '';

/** The page comes first. */
const settleMs = 10_000;

/** Head of the printed page. Its data is read beforehand: printing does not wait. */
export const PrintedHead = ({ roast }: { roast: Roast }) => {
  const { data } = useApi(getRoasterySettings, useSettled(settleMs) ? {} : null, { revalidateOnFocus: false });
  return usePrinting() ? <Letterhead roastery={data} roast={roast} /> : null;
};

/** The owner of the roast, and the time of printing. */
const Letterhead = ({ roastery, roast }: { roastery: RoasterySettings | undefined; roast: Roast }) => {
  const dates = useDates();
  const [printedAt] = useState(() => Date.now());
  const { address, postal_code: code, city, country, email, phone, website } = roastery ?? {};
  const place = [address, [code, city].filter((part) => part !== undefined && part !== null).join(' '), country];
  const lines = [place, [phone, email, website]].map((parts) =>
    parts.filter((part): part is string => part !== undefined && isText(part)).join(' · '),
  );
  return (
    <div className="mb-2 flex items-end justify-between gap-6 border-b border-strong pb-2">
      <div>
        <p className="text-lg font-semibold text-strong">
          {roastery && isText(roastery.roastery_name) ? roastery.roastery_name : t`Roasting Management`}
        </p>
        {lines.filter(isText).map((line) => (
          <p key={line} className="text-xs text-muted">
            {line}
          </p>
        ))}
      </div>
      <p className="figures text-right text-xs text-muted">
        {t`Roasted ${dates.dayAndTime(roast.start_time)}`}
        <br />
        {t`Printed ${dates.dayAndTime(printedAt)}`}
      </p>
    </div>
  );
};

/** The marks of a roast as a table, on paper in place of their panel. */
export const PrintedMarks = ({ marks, curve }: { marks: readonly RoastMark[]; curve: CurveColumns | undefined }) => {
  const inOrder = marks.toSorted((a, b) => a.time_seconds - b.time_seconds);
  const tempOf = (mark: RoastMark) =>
    mark.temp ?? (curve ? valueAt(curve.time_seconds, curve.channels['bean_temp'] ?? [], mark.time_seconds) : null);
  if (inOrder.length === 0) return null;
  return (
    <table className="mt-3 w-full border-collapse text-sm">
      <thead>
        <tr className="border-b border-stroke-strong text-left">
          <th className="label-mono py-1 font-normal">{t`Mark`}</th>
          {inOrder.map((mark) => (
            <th key={mark.kind} className="py-1 text-right font-medium text-strong">
              {markLabels[mark.kind].long}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr className="border-b border-stroke">
          <th className="label-mono py-1 text-left font-normal">{t`Time`}</th>
          {inOrder.map((mark) => (
            <td key={mark.kind} className="figures py-1 text-right">
              {formatDuration(mark.time_seconds)}
            </td>
          ))}
        </tr>
        <tr className="border-b border-stroke">
          <th className="label-mono py-1 text-left font-normal">{t`Bean temp`}</th>
          {inOrder.map((mark) => (
            <td key={mark.kind} className="py-1 text-right">
              <Measure quantity="temperature" value={tempOf(mark)} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
};
