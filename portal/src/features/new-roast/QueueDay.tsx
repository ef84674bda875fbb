import type { PlannedDay } from '@roastery/contract/planned';
import { TriangleAlert } from 'lucide-react';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { dayAfter } from './queue-rows.ts';

/** `Today`, `Tomorrow`, else the day in figures. */
export const useDayName = (today: string): ((day: string) => string) => {
  const dates = useDates();
  return (day) => (day === today ? t`Today` : day === dayAfter(today) ? t`Tomorrow` : dates.figures(day));
};

interface QueueDayProps {
  name: string;
  /** Undefined for a day without roasts. */
  day: PlannedDay | undefined;
}

/** `Today · 12 batches · 284 kg green · done about 14:20`, and the lots that fall short on that day. */
export const QueueDay = ({ name, day }: QueueDayProps) => {
  const dates = useDates();
  const said =
    day === undefined
      ? t`nothing planned`
      : [
          day.batches === 1 ? t`1 batch` : t`${formatCount(day.batches)} batches`,
          day.green_kg > 0 ? t`${exactWeight(day.green_kg)} green` : null,
          day.done_at === null ? null : t`done about ${dates.time(day.done_at)}`,
        ]
          .filter((part) => part !== null)
          .join(' · ');
  return (
    <>
      <h4 className="text-sm font-semibold text-strong">
        {name} <span className="figures font-normal text-muted">{`· ${said}`}</span>
      </h4>
      {day?.short.map((lot) => (
        <p key={lot.lot_id} className="mt-0.5 flex items-center gap-1.5 text-sm font-medium text-danger">
          <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
          {t`${lot.coffee_name} (${lot.lot_number}) falls short by ${exactWeight(lot.missing_kg)}`}
        </p>
      ))}
    </>
  );
};
