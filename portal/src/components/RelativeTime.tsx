import { useEffect, useState } from 'react';
import { useDates } from '../format/preferences.ts';

/** `3 min ago`, counting on, with the absolute moment on hover and in the markup. */
export const RelativeTime = ({ moment }: { moment: string }) => {
  const dates = useDates();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const everyMs = now - Date.parse(moment) < 60_000 ? 1000 : 30_000;
    const timer = setTimeout(() => setNow(Date.now()), everyMs);
    return () => clearTimeout(timer);
  }, [now, moment]);
  return (
    <time dateTime={moment} title={dates.dayAndTime(moment)} className="figures whitespace-nowrap">
      {dates.ago(moment, now)}
    </time>
  );
};
