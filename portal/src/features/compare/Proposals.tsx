import { getProfile } from '@roastery/contract/profiles';
import { getRoast, listRoasts, type Roast, type RoastRow } from '@roastery/contract/roasts';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useUser } from '../../api/session.tsx';
import { roastName } from '../../components/live/roast-texts.ts';
import { addDays } from '../../format/calendar.ts';
import { useDates } from '../../format/preferences.ts';
import { localDayOf } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { maxCompared } from './compare-lines.ts';

interface ProposalsProps {
  /** The roast that is compared; without one, the newest roasts are proposed. */
  base: Roast | undefined;
  /** Adds these roasts to the comparison. */
  onAdd: (ids: readonly string[]) => void;
}

const proposedRoasts = 5;
const once = { revalidateOnFocus: false, revalidateIfStale: false } as const;

/** What a roast is usually compared with, one tap each, while there is nothing to compare it with. */
export const Proposals = ({ base, onAdd }: ProposalsProps) =>
  base === undefined ? <NewestRoasts onAdd={onAdd} /> : <ForRoast base={base} onAdd={onAdd} />;

const NewestRoasts = ({ onAdd }: Pick<ProposalsProps, 'onAdd'>) => {
  const { data } = useApi(listRoasts, { query: { status: 'completed', limit: proposedRoasts } }, once);
  return (
    <Groups>
      <Group title={t`The newest roasts`} roasts={data?.roasts ?? []} onAdd={onAdd} />
    </Groups>
  );
};

const ForRoast = ({ base, onAdd }: ProposalsProps & { base: Roast }) => {
  const { profile_id: recipeId, coffee_name: coffee } = base;
  const reference = useRecipeReference(base);
  const day = localDayOf(base.start_time, useUser().roastery_time_zone);
  const { data: ofCoffee } = useApi(
    listRoasts,
    coffee === null
      ? null
      : { query: { status: 'completed', coffee_name: coffee, to: day, limit: proposedRoasts + 1 } },
    once,
  );
  const weekBefore = { from: addDays(day, -13), to: addDays(day, -7) };
  const { data: ofRecipe } = useApi(
    listRoasts,
    recipeId === null
      ? null
      : { query: { status: 'completed', profile_id: recipeId, ...weekBefore, limit: proposedRoasts } },
    once,
  );
  const others = (roasts: readonly RoastRow[] | undefined) =>
    (roasts ?? []).filter(({ id }) => id !== base.id).slice(0, proposedRoasts);
  return (
    <Groups>
      <Group title={t`Its reference`} roasts={others(reference && [reference])} onAdd={onAdd} />
      <Group title={t`Last roasts of ${coffee ?? ''}`} roasts={others(ofCoffee?.roasts)} onAdd={onAdd} />
      <Group title={t`${base.profile_name ?? ''} the week before`} roasts={others(ofRecipe?.roasts)} onAdd={onAdd} />
    </Groups>
  );
};

const useRecipeReference = ({ profile_id: recipeId }: Roast): Roast | undefined => {
  const { data: recipe } = useApi(getProfile, recipeId === null ? null : { params: { id: recipeId } }, once);
  const id = recipe?.reference_roast_id ?? null;
  return useApi(getRoast, id === null ? null : { params: { id } }, once).data;
};

const Groups = ({ children }: { children: ReactNode }) => (
  <section
    aria-label={t`Proposals`}
    className="grid items-start gap-4 sm:grid-cols-[repeat(auto-fit,minmax(min(100%,18rem),1fr))] [&:empty]:hidden"
  >
    {children}
  </section>
);

interface GroupProps {
  title: string;
  roasts: readonly RoastRow[];
  onAdd: ProposalsProps['onAdd'];
}

/** Nothing where there is no such roast. */
const Group = ({ title, roasts, onAdd }: GroupProps) => {
  const dates = useDates();
  // Beside the roast that is compared.
  const whole = roasts.slice(0, maxCompared - 1).map(({ id }) => id);
  if (roasts.length === 0) return null;
  return (
    <Card className="min-w-0">
      <header className="flex min-h-11 items-center justify-between gap-3 border-b border-stroke pr-2 pl-4">
        <h2 className="min-w-0 truncate text-base font-semibold text-strong">{title}</h2>
        {whole.length > 1 && (
          <Button kind="quiet" aria-label={t`Add ${whole.length}: ${title}`} onClick={() => onAdd(whole)}>
            {t`Add ${whole.length}`}
          </Button>
        )}
      </header>
      <ul className="divide-y divide-stroke">
        {roasts.map((roast) => (
          <li key={roast.id}>
            <button
              type="button"
              className="flex min-h-11 w-full items-center gap-3 px-4 py-1.5 text-left hover:bg-hover"
              onClick={() => onAdd([roast.id])}
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate text-base text-strong">
                  <span className="sr-only">{t`Compare with`} </span>
                  {roastName(roast)}
                </span>
                <span className="figures block truncate text-xs text-muted">{dates.dayAndTime(roast.start_time)}</span>
              </span>
              <Plus aria-hidden className="size-4 shrink-0 text-accent-text" />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
};
