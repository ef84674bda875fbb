import type { MachineSilence } from '@roastery/contract/machines';
import type { DateTexts } from '../../format/dates.ts';
import { t } from '../../language/t.ts';

/** `06:46 PM`; with its day if that is not today. */
export const sinceText = (moment: string, dates: DateTexts): string =>
  dates.day(moment) === dates.day(Date.now()) ? dates.time(moment) : dates.dayAndTime(moment);

/** One sentence about a machine that does not answer its board; null while it answers. */
export const silenceText = ({ silent_since: since, address }: MachineSilence, dates: DateTexts): string | null => {
  if (since === null) return null;
  const time = sinceText(since, dates);
  return address === null
    ? t`The machine does not answer, since ${time}`
    : t`The machine does not answer: ${address}, since ${time}`;
};
