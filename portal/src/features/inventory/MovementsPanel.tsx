import { listLotMovements, type Lot, type LotMovement } from '@roastery/contract/inventory';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { paths } from '../../components/paths.ts';
import { formatCount } from '../../format/numbers.ts';
import { weightNumber, weightUnit } from '../../format/weights.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';

const reasons: Record<LotMovement['reason'], string> = {
  initial: t`Received`,
  initial_edit: t`Initial weight edited`,
  roast: t`Roast`,
  roast_edit: t`Roast edited`,
  roast_delete: t`Roast deleted`,
  adjustment: t`Adjusted`,
};
const pageSize = 25;

/** Always two decimals, so that the column is aligned. */
const ledgerWeight = (kg: number): string => weightNumber(kg, 2, 2);

/** The movements of a lot, newest first: reason, change and balance. */
export const MovementsPanel = ({ lot }: { lot: Lot }) => {
  const [page, setPage] = useState(0);
  const { data, error, mutate } = useApi(
    listLotMovements,
    { params: { id: lot.id }, query: { limit: pageSize, offset: page * pageSize } },
    { keepPreviousData: true },
  );
  const total = data?.total ?? 0;
  const last = Math.max(0, Math.ceil(total / pageSize) - 1);
  return (
    <Panel
      title={t`Movements`}
      actions={data && <span className="figures text-sm text-muted">{formatCount(total)}</span>}
    >
      {error && (
        <div className="p-3">
          <ErrorLine title={t`Movements could not be loaded`} error={error} onRetry={() => void mutate()} />
        </div>
      )}
      {data === undefined ? (
        !error && (
          <div aria-busy className="flex flex-col gap-3 p-4">
            {[0, 1, 2].map((row) => (
              <Skeleton key={row} className="h-8 w-full" />
            ))}
          </div>
        )
      ) : (
        <>
          <table className="w-full text-sm">
            <caption className="sr-only">{t`Movements of this lot, newest first`}</caption>
            <thead>
              <tr className="label-mono [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
                <th scope="col" className="text-left">
                  {t`What`}
                </th>
                <th scope="col" className="text-right">
                  {weightUnit()}
                </th>
                <th scope="col" className="text-right">
                  {t`Balance`}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.movements.map((movement) => (
                <Movement key={movement.id} movement={movement} />
              ))}
            </tbody>
          </table>
          {last > 0 && (
            <nav aria-label={t`Pages of movements`} className="flex justify-between border-t border-stroke p-2">
              <Button kind="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
                {t`Newer`}
              </Button>
              <Button kind="quiet" disabled={page >= last} onClick={() => setPage(page + 1)}>
                {t`Older`}
              </Button>
            </nav>
          )}
        </>
      )}
    </Panel>
  );
};

const Movement = ({ movement }: { movement: LotMovement }) => {
  const dates = useDates();
  const { kg, note, by, at, balance_kg: balance, roast_id: roastId } = movement;
  const gone = movement.reason === 'roast_delete';
  return (
    <tr className="border-t border-stroke align-top [&>td]:px-4 [&>td]:py-2">
      <td className="w-full min-w-0 wrap-anywhere">
        {roastId !== null && !gone ? (
          <Link to={paths.roast(roastId)} className="font-medium text-strong underline-offset-2 hover:underline">
            {reasons[movement.reason]} <span className="font-mono text-xs">#{roastId.slice(0, 8)}</span>
          </Link>
        ) : (
          <span className="font-medium text-strong">{reasons[movement.reason]}</span>
        )}
        {note !== null && note !== '' && <span className="block text-content">{note}</span>}
        <span className="block text-xs text-muted">
          <span className="figures">{dates.dayAndTime(at)}</span>
          {by !== null && ` · ${by}`}
        </span>
      </td>
      <td className={classes('figures text-right whitespace-nowrap', kg < 0 ? 'text-content' : 'text-success')}>
        {kg < 0 ? '−' : '+'}
        {ledgerWeight(Math.abs(kg))}
      </td>
      <td className={classes('figures text-right whitespace-nowrap', balance < 0 ? 'text-danger' : 'text-strong')}>
        {ledgerWeight(balance)}
      </td>
    </tr>
  );
};
