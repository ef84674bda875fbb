import { Popover } from '@base-ui/react/popover';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { addDays, addMonths, weekdayNames, weeksOfMonth, weekStart } from '../format/calendar.ts';
import { dateTexts } from '../format/dates.ts';
import { usePreferences } from '../format/preferences.ts';
import { t } from '../language/t.ts';
import { classes, popupClass, popupLayer } from '../ui/classes.ts';
import { IconButton } from '../ui/IconButton.tsx';

interface DayPickerProps {
  anchor: RefObject<HTMLElement | null>;
  /** `2026-11-21`; empty while none is chosen. */
  value: string;
  today: string;
  onChoose: (day: string) => void;
  onClose: () => void;
}

const buttonOf = (grid: HTMLElement | null, day: string): HTMLButtonElement | null =>
  grid?.querySelector<HTMLButtonElement>(`[data-day="${day}"]`) ?? null;

const noon = (day: string): string => `${day}T12:00:00Z`;

/** A month to choose a day from. The week begins as in the person's region. */
const DayPicker = ({ anchor, value, today, onChoose, onClose }: DayPickerProps) => {
  const [day, setDay] = useState(value === '' ? today : value);
  const { date_language: region } = usePreferences();
  const { month } = dateTexts('UTC', region);
  const grid = useRef<HTMLTableElement>(null);
  useEffect(() => buttonOf(grid.current, day)?.focus(), [day]);

  const move = (event: KeyboardEvent) => {
    const next = {
      ArrowLeft: addDays(day, -1),
      ArrowRight: addDays(day, 1),
      ArrowUp: addDays(day, -7),
      ArrowDown: addDays(day, 7),
      Home: weekStart(day),
      End: addDays(weekStart(day), 6),
      PageUp: addMonths(day, -1),
      PageDown: addMonths(day, 1),
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setDay(next);
  };

  return (
    <Popover.Root open onOpenChange={(open) => !open && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={4} align="end" className={popupLayer}>
          <Popover.Popup
            initialFocus={() => buttonOf(grid.current, day)}
            aria-label={t`Choose a date`}
            className={classes(popupClass, 'p-3')}
          >
            <div className="flex items-center justify-between gap-2 pb-2">
              <IconButton
                label={t`Previous month`}
                icon={<ChevronLeft aria-hidden />}
                onClick={() => setDay(addMonths(day, -1))}
              />
              <span aria-live="polite" className="text-sm font-medium text-strong">
                {month(noon(day))}
              </span>
              <IconButton
                label={t`Next month`}
                icon={<ChevronRight aria-hidden />}
                onClick={() => setDay(addMonths(day, 1))}
              />
            </div>
            <table ref={grid} className="figures text-sm">
              <caption className="sr-only">{month(noon(day))}</caption>
              <thead>
                <tr>
                  {weekdayNames().map(({ short, long }) => (
                    <th key={long} scope="col" abbr={long} className="size-9 text-xs font-normal text-muted">
                      {short.slice(0, 2)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {weeksOfMonth(day).map((week) => (
                  <tr key={week[0]}>
                    {week.map((one) => (
                      <td key={one} className="p-0">
                        <button
                          type="button"
                          data-day={one}
                          tabIndex={one === day ? 0 : -1}
                          // The visible figure is part of the name.
                          aria-label={`${Number(one.slice(8))} ${month(noon(one))}`}
                          aria-pressed={one === value}
                          onKeyDown={move}
                          aria-current={one === today ? 'date' : undefined}
                          onClick={() => onChoose(one)}
                          className={classes(
                            'size-9 rounded-md hover:bg-hover pointer-coarse:size-10',
                            one === value
                              ? 'bg-strong text-page hover:bg-strong'
                              : one.slice(0, 7) === day.slice(0, 7)
                                ? 'text-strong'
                                : 'text-muted',
                            one === today && one !== value && 'font-semibold underline underline-offset-4',
                          )}
                        >
                          {Number(one.slice(8))}
                        </button>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};

export default DayPicker;
