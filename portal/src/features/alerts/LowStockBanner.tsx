import { dismissAlert, listAlerts, type LotAlert } from '@roastery/contract/alerts';
import { lowStockKg } from '@roastery/contract/limits';
import { PackageX } from 'lucide-react';
import { Link } from 'react-router-dom';
import { DismissNotice } from '../../components/DismissNotice.tsx';
import { call } from '../../api/call.ts';
import { useApi, useSettled } from '../../api/use-api.ts';
import { attempt } from '../../components/attempt.ts';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { exactWeight, weightText } from '../../format/weights.ts';
import { t } from '../../language/t.ts';

/** At most this many lots; the rest is a number with a link to all lots. */
const maxShown = 3;
const refreshMs = 30_000;
/** The page that was opened comes first. */
const settleMs = 1500;

/** Rounded down: 19.96 kg are below 20 and must not read as 20.0. */
const leftText = (kg: number): string => weightText(kg, 1, 1, 'floor');

/** Watched lots below the threshold, on every page until the person dismisses them. */
export const LowStockBanner = () => {
  // Another unit renders it again: it stays while pages change.
  usePreferences();
  const { data } = useApi(listAlerts, useSettled(settleMs) ? {} : null, { refreshInterval: refreshMs });
  const alerts = data?.alerts ?? [];
  if (alerts.length === 0) return null;
  const dismiss = () =>
    attempt(
      () => Promise.all(alerts.map(({ lot_id: id }) => call(dismissAlert, { params: { id } }))),
      t`The alert could not be dismissed`,
      [listAlerts],
    );
  const rest = alerts.length - maxShown;
  return (
    <section
      aria-label={t`Low green coffee`}
      className="flex items-start gap-2.5 border-b border-stroke bg-warning-soft px-4 py-2 text-sm text-strong sm:px-6 lg:px-8 print:hidden"
    >
      <PackageX aria-hidden className="mt-2 size-4 shrink-0 text-warning" />
      <output className="flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-4">
        <span className="font-semibold">{t`Below ${exactWeight(lowStockKg)}:`}</span>
        {alerts.slice(0, maxShown).map((alert) => (
          <LowLot key={alert.lot_id} alert={alert} />
        ))}
        {rest > 0 && (
          <Link to={`${paths.lots}?status=all`} className="rounded-sm font-medium underline">
            {rest === 1 ? t`${rest} more lot` : t`${rest} more lots`}
          </Link>
        )}
      </output>
      <DismissNotice
        label={alerts.length === 1 ? t`Dismiss this alert` : t`Dismiss these alerts`}
        question={
          alerts.length === 1 ? t`Hide it until the lot is restocked?` : t`Hide them until the lots are restocked?`
        }
        onDismiss={() => void dismiss()}
      />
    </section>
  );
};

const LowLot = ({ alert }: { alert: LotAlert }) => (
  <span className="min-w-0 wrap-anywhere">
    <Link
      to={paths.editLot(alert.lot_id)}
      title={t`Watched by ${alert.recipes.join(', ')}`}
      className="rounded-sm font-medium underline"
    >
      {alert.coffee_name} ({alert.lot_number})
    </Link>{' '}
    <span className="figures">{t`${leftText(alert.current_weight)} left`}</span>
  </span>
);
