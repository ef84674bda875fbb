import { offsetOf } from '../../format/zoned-time.ts';
import type { Choice } from '../../ui/Select.tsx';

/** Every zone this browser knows, with its offset now, and the one that is set, whatever it is. */
export const timeZoneChoices = (current: string, now = new Date()): Choice[] => {
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
  if (current !== '') names.add(current);
  return [...names].sort().map((value) => ({ value, label: value.replaceAll('_', ' '), hint: offsetOf(value, now) }));
};
