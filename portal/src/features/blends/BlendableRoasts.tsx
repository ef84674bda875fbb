import { listBlendableRoasts, maxBlendComponents, type BlendableRoast } from '@roastery/contract/blends';
import { PackageOpen, Plus, Search } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { exactWeight } from '../../format/weights.ts';
import { useDates } from '../../format/preferences.ts';
import { useTyped } from '../../components/use-typed.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { TextField } from '../../ui/TextField.tsx';

interface BlendableRoastsProps {
  /** The weight in this blend counts as available. */
  blendId: string | undefined;
  /** Ids of the roasts in the blend. */
  chosen: readonly string[];
  onChoose: (roast: BlendableRoast) => void;
}

/** Finished roasts with available weight, to add one by one. */
export const BlendableRoasts = ({ blendId, chosen, onChoose }: BlendableRoastsProps) => {
  const [q, setQ] = useState('');
  const [typed, setTyped] = useTyped(q, setQ);
  const { data, error, mutate } = useApi(
    listBlendableRoasts,
    { query: { limit: 50, ...(q === '' ? {} : { q }), ...(blendId === undefined ? {} : { blend_id: blendId }) } },
    { keepPreviousData: true },
  );
  const offered = data?.roasts.filter(({ roast_id: id }) => !chosen.includes(id));
  return (
    <Panel title={t`Finished roasts`}>
      <div className="border-b border-stroke p-3">
        <TextField
          label={t`Search finished roasts`}
          hideLabel
          size="sm"
          type="search"
          icon={<Search aria-hidden />}
          placeholder={t`Search coffee, number…`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {offered === undefined ? (
        error === undefined ? (
          <div className="flex flex-col gap-3 p-4">
            <Skeleton className="h-10 w-full" />
            <Skeleton className="h-10 w-full" />
            <Skeleton className="h-10 w-full" />
          </div>
        ) : (
          <ErrorState title={t`Finished roasts could not be loaded`} error={error} onRetry={() => void mutate()} />
        )
      ) : offered.length === 0 ? (
        <EmptyState icon={<PackageOpen aria-hidden />} title={q === '' ? t`No roasts available` : t`No roast found`}>
          {q === '' ? t`Every finished roast is used up or has no weight yet.` : t`No available roast matches “${q}”.`}
        </EmptyState>
      ) : (
        <ul aria-label={t`Finished roasts`} className="max-h-[32rem] divide-y divide-stroke overflow-y-auto">
          {offered.map((roast) => (
            <Offered
              key={roast.roast_id}
              roast={roast}
              isFull={chosen.length >= maxBlendComponents}
              onChoose={() => onChoose(roast)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
};

const Offered = ({ roast, isFull, onChoose }: { roast: BlendableRoast; isFull: boolean; onChoose: () => void }) => {
  const dates = useDates();
  const name = roastName(roast);
  return (
    <li className="flex items-center gap-3 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="truncate text-base text-strong">{name}</p>
        <p className="figures truncate text-xs text-muted">{dates.day(roast.roasted_at)}</p>
      </div>
      <p className="figures text-right text-sm text-strong">
        {exactWeight(roast.left_kg)}
        <span className="block text-xs text-muted">{roast.is_roasted_weight ? t`left` : t`left of the batch`}</span>
      </p>
      <Button icon={<Plus aria-hidden />} disabled={isFull} aria-label={t`Add ${name}`} onClick={onChoose}>
        {t`Add`}
      </Button>
    </li>
  );
};
