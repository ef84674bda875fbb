import { CalendarDays } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { useSession } from '../api/session.tsx';
import { dayPattern } from '../format/calendar.ts';
import type { DateTexts } from '../format/dates.ts';
import { useDates } from '../format/preferences.ts';
import { readDay, readDayAndTime } from '../format/read-dates.ts';
import { todayIn } from '../format/zoned-time.ts';
import { t } from '../language/t.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { TypedField, type Codec, type TypedFieldProps } from '../ui/TypedField.tsx';

// The calendar is fetched when it is opened first.
const DayPicker = lazy(() => import('./DayPicker.tsx'));

const dayCodec = (dates: DateTexts): Codec => ({
  write: (day) => (day === '' ? '' : dates.figures(day)),
  read: (typed) => readDay(typed),
  problem: t`Enter a date as ${dates.figures('2026-12-31')}`,
});

const momentCodec = (dates: DateTexts): Codec => ({
  write: (local) => {
    const [day = '', time = ''] = local.split('T');
    return local === '' ? '' : `${dates.figures(day)} ${dates.clock(time)}`;
  },
  read: (typed) => readDayAndTime(typed),
  problem: t`Enter date and time as ${`${dates.figures('2026-12-31')} ${dates.clock('17:30')}`}`,
});

interface CalendarButtonProps {
  /** The day in the field when the calendar is opened. */
  dayIn: () => string;
  onChoose: (day: string) => void;
}

const CalendarButton = ({ dayIn, onChoose }: CalendarButtonProps) => {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const timeZone = useSession().user?.roastery_time_zone ?? 'UTC';
  const close = () => {
    setOpened(null);
    button.current?.focus();
  };
  return (
    <>
      <IconButton
        ref={button}
        label={t`Open calendar`}
        aria-haspopup="dialog"
        aria-expanded={opened !== null}
        icon={<CalendarDays aria-hidden />}
        className="size-7!"
        onClick={() => setOpened(opened === null ? dayIn() : null)}
      />
      {opened !== null && (
        <Suspense>
          <DayPicker
            anchor={button}
            value={opened}
            today={todayIn(timeZone)}
            onChoose={(day) => {
              onChoose(day);
              close();
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
};

interface CalendarFieldProps extends TypedFieldProps {
  codec: Codec;
  /** The stored value of a chosen day: a time of day stays. */
  withDay: (day: string, stored: string) => string;
}

/** A TypedField with a calendar. */
const CalendarField = ({ codec, withDay, ...field }: CalendarFieldProps) => {
  return (
    <TypedField
      {...field}
      codec={codec}
      {...(!field.readOnly && {
        button: (stored, choose) => (
          <CalendarButton dayIn={() => stored().slice(0, 10)} onChoose={(day) => choose(withDay(day, stored()))} />
        ),
      })}
    />
  );
};

/** A day, typed and shown in the order of the person's region. The form holds `2026-11-21`. */
export const DateField = (props: TypedFieldProps) => {
  const dates = useDates();
  const codec = useMemo(() => dayCodec(dates), [dates]);
  return <CalendarField placeholder={dayPattern()} {...props} codec={codec} withDay={(day) => day} />;
};

/** A day and a time of day, as the person's region writes them. The form holds `2026-11-21T08:40`. */
export const DateTimeField = (props: TypedFieldProps) => {
  const dates = useDates();
  const codec = useMemo(() => momentCodec(dates), [dates]);
  return (
    <CalendarField
      {...props}
      codec={codec}
      withDay={(day, stored) => `${day}T${stored.length > 11 ? stored.slice(11) : '12:00'}`}
    />
  );
};

type DayFieldProps = Omit<TypedFieldProps, 'value' | 'onChange' | 'onBlur' | 'ref'> & {
  value: string;
  onChange: (day: string) => void;
};

/** The day of a filter: what is typed is passed on once it is a day, or when the field is emptied. */
export const DayField = ({ value, onChange, ...field }: DayFieldProps) => {
  const [isTyping, setTyping] = useState(false);
  return (
    <DateField
      {...field}
      value={isTyping ? '' : value}
      onBlur={() => setTyping(false)}
      onChange={({ target }) => {
        setTyping(target.isUnreadable ?? false);
        if (!target.isUnreadable) onChange(target.value);
      }}
    />
  );
};
