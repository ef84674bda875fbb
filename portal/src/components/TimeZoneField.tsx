import { useMemo, useState, type ComponentProps } from 'react';
import { offsetOf } from '../format/zoned-time.ts';
import { Combobox } from '../ui/Combobox.tsx';
import type { Choice } from '../ui/Select.tsx';

export const zoneLabel = (zone: string): string => zone.replaceAll('_', ' ');

/** All time zones of this browser with their current offset, and the one that is set. */
export const timeZoneChoices = (current: string, now = new Date()): Choice[] => {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  if (current !== '') names.add(current);
  return [...names].sort().map((value) => ({
    value,
    label: zoneLabel(value),
    // Read when it is shown: those of all zones take a phone 300 ms.
    get hint() {
      return offsetOf(value, now);
    },
  }));
};

type TimeZoneFieldProps = Omit<ComponentProps<typeof Combobox>, 'choices' | 'onOpen'>;

/** A time zone, found by its name. */
export const TimeZoneField = ({ value, ...field }: TimeZoneFieldProps) => {
  // Until then only the chosen one has a name: the list of all takes a phone 100 ms.
  const [isOpened, setOpened] = useState(false);
  const zones = useMemo(() => (isOpened ? timeZoneChoices(value ?? '') : []), [isOpened, value]);
  const choices = isOpened ? zones : value === null ? [] : [{ value, label: zoneLabel(value) }];
  return <Combobox choices={choices} value={value} onOpen={() => setOpened(true)} {...field} />;
};
