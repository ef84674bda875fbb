import { confirmPinLocks, getPin } from '@roastery/contract/roasters';
import { ShieldAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import { DismissNotice } from '../../components/DismissNotice.tsx';
import { call } from '../../api/call.ts';
import { useApi, useSettled } from '../../api/use-api.ts';
import { attempt } from '../../components/attempt.ts';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';

const refreshMs = 60_000;
/** The page that was opened comes first. */
const settleMs = 1500;

const confirm = () => attempt(() => call(confirmPinLocks, {}), t`The notice could not be dismissed`, [getPin]);

/** Wrong PINs have locked the person's PIN: on every page until they dismiss it. */
export const PinLockBanner = () => {
  const dates = useDates();
  const { data } = useApi(getPin, useSettled(settleMs) ? {} : null, { refreshInterval: refreshMs });
  const locked = data?.locked ?? null;
  if (locked === null) return null;
  const where = locked.everywhere
    ? t`It is locked for a day on devices that you have not used.`
    : t`It is locked for 15 minutes on that device.`;
  return (
    <section
      aria-label={t`Your PIN was locked`}
      className="flex items-start gap-2.5 border-b border-stroke bg-warning-soft px-4 py-2 text-sm text-strong sm:px-6 lg:px-8 print:hidden"
    >
      <ShieldAlert aria-hidden className="mt-2 size-4 shrink-0 text-warning" />
      <output className="flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-4">
        <span className="font-semibold">{t`Your PIN was locked:`}</span>
        <span className="min-w-0 wrap-anywhere">
          {t`Wrong PINs in the session of ${locked.by}, last ${dates.dayAndTime(locked.at)}.`} {where}
        </span>
        <Link to={paths.account} className="rounded-sm font-medium underline">
          {t`Change PIN`}
        </Link>
      </output>
      <DismissNotice label={t`Dismiss this notice`} question={t`Hide this notice?`} onDismiss={() => void confirm()} />
    </section>
  );
};
