import { cloneProfile, deleteProfile, listProfiles, type Profile } from '@roastery/contract/profiles';
import { BookOpenText, ChartNoAxesColumnIncreasing, FilterX, Plus, Star } from 'lucide-react';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { attempt } from '../../components/attempt.ts';
import { useAddAction } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { SearchField } from '../../components/table/ListControls.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { useDeletion, type Deletion } from '../../components/use-deletion.tsx';
import { useTyped } from '../../components/use-typed.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';
import { toast } from '../../ui/toast.ts';
import { filterRecipes, levelChoices, originsOf, recipeTotals, useRecipes } from './recipes.ts';
import { RecipeCard } from './RecipeCard.tsx';

const choices = (all: string, values: readonly string[]) => [
  { value: '', label: all },
  ...values.map((value) => ({ value, label: value })),
];

/** The server's reason, below the document's sentence. */
const reasonOf = (error: unknown): string | undefined => (error instanceof ApiError ? error.detail : undefined);

const clone = (recipe: Profile): void =>
  void attempt(
    async () => {
      await call(cloneProfile, { params: { id: recipe.id } });
      await refresh(listProfiles);
      toast(t`Recipe cloned successfully!`);
    },
    (error) => ({ text: t`Failed to clone recipe`, detail: reasonOf(error) }),
  );

const deletion: Deletion<Profile> = {
  remove: (recipe) => call(deleteProfile, { params: { id: recipe.id } }),
  refresh: () => refresh(listProfiles),
  title: () => t`Delete recipe`,
  question: ([recipe]) => (
    <>
      <p>{t`Delete recipe "${recipe.name}"?`}</p>
      {recipe.times_used > 0 && <p className="mt-2 text-sm text-muted">{t`Its roasts keep its name.`}</p>}
    </>
  ),
  done: () => ({ text: t`Recipe deleted` }),
  failed: (error) => ({ text: t`Failed to delete recipe`, detail: reasonOf(error) }),
};

/** The search and the filters, kept in the address. */
const useFilters = () => {
  const { read, change } = useUrlState();
  // The list follows every key; the address changes when the typing pauses.
  const [typed, setTyped] = useTyped(read('q') ?? '', (q) => change({ q }));
  const filters = {
    q: useDeferredValue(typed),
    origin: read('origin'),
    level: levelChoices.find((level) => level === read('level')),
    favoritesOnly: read('favorites') === '1',
  };
  const { q, origin, level, favoritesOnly } = filters;
  const isFiltered = q !== '' || origin !== undefined || level !== undefined || favoritesOnly;
  const reset = () => {
    setTyped('');
    change({ q: undefined, origin: undefined, level: undefined, favorites: undefined });
  };
  return { filters, typed, setTyped, change, isFiltered, reset };
};
type Filters = ReturnType<typeof useFilters>;

/** /recipes: every recipe as a card. Search and filters work in the browser and are kept in the address. */
export default function RecipesPage() {
  const { data, error, mutate } = useRecipes();
  const { ask, dialog } = useDeletion(deletion);
  // A stable function: hundreds of cards must not render again for a key press.
  const askToDelete = useCallback((recipe: Profile) => ask([recipe]), [ask]);
  const sought = useFilters();
  const { isFiltered, reset } = sought;
  const recipes = useMemo(() => data ?? [], [data]);
  const shown = filterRecipes(recipes, sought.filters);
  const { count, more } = useGrowingCount(60);
  useAddAction(t`Create recipe`, paths.newRecipe);
  return (
    <Page wide>
      <PageHeader title={t`Recipes`} crumbs={[{ label: t`Recipes` }]} />
      <Totals recipes={data} hasFailed={error !== undefined} />
      <FilterBar {...sought} recipes={recipes} />
      {error && (
        <div className="pb-4">
          <ErrorLine title={t`Recipes could not be loaded`} error={error} onRetry={() => void mutate()} />
        </div>
      )}
      <ul aria-label={t`Recipes`} className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,18.5rem),1fr))] gap-3">
        <li className="flex">
          <Link
            to={paths.newRecipe}
            className="flex min-h-28 w-full flex-col items-center justify-center gap-2 rounded-lg border border-dashed border-stroke-control text-base font-medium text-muted transition-colors hover:border-accent hover:bg-hover hover:text-strong"
          >
            <Plus aria-hidden className="size-5" />
            {t`Create Recipe`}
          </Link>
        </li>
        {data === undefined &&
          !error &&
          Array.from({ length: 5 }, (_, i) => (
            <li key={i} aria-hidden>
              <Skeleton className="h-72 w-full rounded-lg" />
            </li>
          ))}
        {shown.slice(0, count).map((recipe) => (
          <li key={recipe.id} className="flex min-w-0 [&>article]:w-full">
            <RecipeCard recipe={recipe} onClone={clone} onDelete={askToDelete} />
          </li>
        ))}
      </ul>
      {shown.length > count && <div ref={more} aria-hidden className="h-px" />}
      {shown.length === 0 && (data !== undefined || error) && (
        <Card className="mt-3">
          <EmptyState
            icon={<BookOpenText aria-hidden />}
            title={t`No recipes found`}
            action={isFiltered && recipes.length > 0 && <Button onClick={reset}>{t`Reset filters`}</Button>}
          >
            {isFiltered && recipes.length > 0 && t`No recipe matches the search and the filters.`}
            {data?.length === 0 &&
              t`A recipe stores how you roast a coffee, so that every batch follows the same plan.`}
          </EmptyState>
        </Card>
      )}
      {dialog}
    </Page>
  );
}

const Totals = ({ recipes, hasFailed }: { recipes: readonly Profile[] | undefined; hasFailed: boolean }) => {
  const totals = recipes === undefined ? undefined : recipeTotals(recipes);
  const figure = (value: number | undefined) =>
    value === undefined ? (hasFailed ? null : undefined) : formatCount(value);
  return (
    <div className="pb-4">
      <StatRow>
        <StatCard
          label={t`Total Recipes`}
          value={figure(totals?.total)}
          icon={<BookOpenText className="max-sm:hidden" />}
        />
        <StatCard label={t`Favorites`} value={figure(totals?.favorites)} icon={<Star className="max-sm:hidden" />} />
        <StatCard
          label={t`Most Used`}
          value={figure(totals?.mostUsed)}
          unit="×"
          icon={<ChartNoAxesColumnIncreasing className="max-sm:hidden" />}
        />
      </StatRow>
    </div>
  );
};

const FilterBar = (props: Filters & { recipes: readonly Profile[] }) => {
  const { filters, typed, setTyped, change, isFiltered, reset, recipes } = props;
  const { origin, level, favoritesOnly } = filters;
  const origins = new Set([...originsOf(recipes), ...(origin === undefined ? [] : [origin])]);
  const select = { hideLabel: true, size: 'sm', className: 'min-w-36 max-sm:flex-1' } as const;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-4">
      <SearchField
        value={typed}
        onChange={setTyped}
        label={t`Search recipes`}
        placeholder={t`Search name or description…`}
        className="w-full sm:w-72"
      />
      <Select
        {...select}
        label={t`Origin`}
        choices={choices(t`All origins`, [...origins])}
        value={origin ?? ''}
        onChange={(next) => change({ origin: next })}
      />
      <Select
        {...select}
        label={t`Level`}
        choices={choices(t`All levels`, levelChoices)}
        value={level ?? ''}
        onChange={(next) => change({ level: next })}
      />
      <Checkbox
        label={t`Favorites only`}
        checked={favoritesOnly}
        onChange={(on) => change({ favorites: on ? '1' : undefined })}
      />
      {isFiltered && (
        <Button kind="quiet" icon={<FilterX aria-hidden />} onClick={reset}>
          {t`Reset filters`}
        </Button>
      )}
    </div>
  );
};

/**
 * Number of rendered items of a long list; grows by a step whenever the element with the ref `more` comes near the screen.
 * Rendering hundreds of cards at once would make every key press of a search slow.
 */
export const useGrowingCount = (step: number): { count: number; more: (element: HTMLElement | null) => void } => {
  const [count, setCount] = useState(step);
  const more = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) setCount((current) => current + step);
        },
        { rootMargin: '1000px' },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [step],
  );
  return { count, more };
};
