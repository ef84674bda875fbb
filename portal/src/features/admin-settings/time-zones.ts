import type { Choice } from '../../ui/Select.tsx';

/** `GMT+02:00` of a zone at a moment; undefined for a name this browser does not know. */
const offsetOf = (timeZone: string, at: Date): string | undefined => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** Every zone this browser knows, with its offset now, and the one that is set, whatever it is. */
export const timeZoneChoices = (current: string, now = new Date()): Choice[] => {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  if (current !== '') names.add(current);
  return [...names].sort().map((value) => ({ value, label: value.replaceAll('_', ' '), hint: offsetOf(value, now) }));
};
