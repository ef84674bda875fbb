import type { ForecastRecordRow, MachineLessons } from '@roastery/contract/machine-lessons';
import { Difference } from '../../components/figures.tsx';
import { formatPercent, formatRoasts } from '../../format/numbers.ts';
import { readingOf } from '../../format/quantities.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Panel } from '../../ui/Card.tsx';

interface ForecastPanelProps {
  forecast: MachineLessons['forecast'];
  roasts: number;
}

/** How well the newest roasts were forecast before anything was learnt from them. */
export const ForecastPanel = ({ forecast, roasts }: ForecastPanelProps) => {
  const hot = useHotText();
  if (forecast === null) {
    return (
      <Panel title={t`Forecast of the curve`}>
        <p className="px-4 py-4 text-base text-content">
          {t`Too few roasts: it has learnt from ${formatRoasts(roasts)}, and the first forecast needs five.`}
        </p>
      </Panel>
    );
  }
  const { is_shown: isShown, times_first_crack: timesCrack, judged_roasts: judged, ahead } = forecast;
  return (
    <Panel
      title={t`Forecast of the curve`}
      actions={isShown ? <Badge tone="success">{t`Shown in roasts`}</Badge> : <Badge>{t`Not shown`}</Badge>}
    >
      <table className="w-full text-base">
        <caption className="px-4 pt-3 pb-2 text-left text-sm text-muted">
          {t`Each of the newest ${formatRoasts(judged)} was forecast from the ones before it.`}
        </caption>
        <thead>
          <tr>
            <Head text={t`Ahead`} />
            <Head text={t`Mean error`} note={hot} />
            <Head text={t`Rate alone`} />
            <Head text={t`In the band`} note={hot} />
          </tr>
        </thead>
        <tbody className="divide-y divide-stroke border-y border-stroke">
          {ahead.map((row) => (
            <Row key={row.ahead_seconds} row={row} />
          ))}
        </tbody>
      </table>
      <ul className="flex flex-col gap-1 px-4 py-3 text-sm text-muted">
        <li>{t`The band is meant to hold eight in ten temperatures.`}</li>
        {!isShown && (
          <li>
            {ahead.every(({ held }) => held === null)
              ? t`A running roast shows no forecast yet: with five roasts it knows how sure it is.`
              : t`A running roast shows no forecast: it was not clearly better than a line by the rate of rise.`}
          </li>
        )}
        {isShown && (
          <li>
            {timesCrack
              ? t`First crack is shown with its time: the band of that time has held in the newest roasts.`
              : t`First crack is shown by its temperature alone: the band of its time has not held in enough marked roasts.`}
          </li>
        )}
      </ul>
    </Panel>
  );
};

/** `from 150 °C`, in the person's unit. */
const useHotText = (): string => {
  const { value, unit } = readingOf('temperature', 150, usePreferences(), 0);
  return t`from ${value} ${unit}`;
};

interface HeadProps {
  text: string;
  /** What the second figure of a cell is of. */
  note?: string;
}

const Head = ({ text, note }: HeadProps) => (
  <th
    scope="col"
    className="px-4 pb-2 text-right align-top font-normal first:text-left max-sm:px-2 max-sm:first:pl-4 max-sm:last:pr-4"
  >
    <span className="label-mono font-medium">{text}</span>
    {note !== undefined && <span className="figures block text-sm whitespace-nowrap text-muted">{note}</span>}
  </th>
);

const Row = ({ row }: { row: ForecastRecordRow }) => (
  <tr>
    <th scope="row" className="figures px-4 py-2 text-left align-top font-medium whitespace-nowrap text-strong">
      {t`${row.ahead_seconds} s`}
    </th>
    <td className={cellClass}>
      <Difference valueC={row.error} signed={false} />
      <span className="block text-sm">
        <Difference valueC={row.error_from_150} signed={false} stale />
      </span>
    </td>
    <td className={cellClass}>
      <Difference valueC={row.error_of_line} signed={false} stale />
    </td>
    <td className={cellClass}>
      <span className="figures text-strong">{shareText(row.held)}</span>
      <span className="figures block text-sm text-muted">{shareText(row.held_from_150)}</span>
    </td>
  </tr>
);

const cellClass = 'px-4 py-2 text-right align-top max-sm:px-2 max-sm:last:pr-4';
const shareText = (share: number | null): string => (share === null ? '--' : formatPercent(share, 0));
