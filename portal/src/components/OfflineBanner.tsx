import { TriangleAlert, WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useUnshownFailure } from '../api/failed-reads.ts';
import { oldestShownRead } from '../api/read-times.ts';
import { useReachability } from '../api/reachability.ts';
import { readAllAgain } from '../api/answers.ts';
import { t } from '../language/t.ts';
import { classes } from '../ui/classes.ts';
import { useDates } from '../format/preferences.ts';

const bannerClass =
  'flex items-center gap-2.5 border-b border-stroke bg-warning-soft px-4 py-2 text-sm text-strong sm:px-6 lg:px-8';

/** Shows that the server can't be reached, and the age of the data on screen; or that a part of the page could not be read. */
export const OfflineBanner = ({ className }: { className?: string }) => {
  const { reachable, lastAnswerAt } = useReachability();
  const isIncomplete = useUnshownFailure();
  if (reachable && isIncomplete)
    return (
      <div className={classes(bannerClass, className)}>
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-warning" />
        <output>{t`Part of this page could not be loaded.`}</output>
        <button
          type="button"
          className="rounded-sm font-semibold underline underline-offset-2"
          onClick={() => void readAllAgain()}
        >
          {t`Retry`}
        </button>
      </div>
    );
  if (reachable) return null;
  return (
    <div data-testid="offline" className={classes(bannerClass, className)}>
      <WifiOff aria-hidden className="size-4 shrink-0 text-warning" />
      <p>
        {/* Read aloud once; the age beside it keeps counting. */}
        <output className="font-semibold">{t`Offline.`}</output> <Age lastAnswerAt={lastAnswerAt} />
      </p>
    </div>
  );
};

const Age = ({ lastAnswerAt }: { lastAnswerAt: number | null }) => {
  const dates = useDates();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const from = oldestShownRead() ?? lastAnswerAt;
  if (from === null) return t`The server can’t be reached; trying again …`;
  const moment = dates.day(from) === dates.day(now) ? dates.time(from) : dates.dayAndTime(from);
  return (
    <>
      {t`Showing data from ${(
        <time dateTime={new Date(from).toISOString()} className="figures">
          {moment}, {dates.ago(from, now)}
        </time>
      )}`}
      .
    </>
  );
};
