import { getProfile, listProfiles, setReferenceRoast } from '@roastery/contract/profiles';
import type { Roast } from '@roastery/contract/roasts';
import { Target } from 'lucide-react';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { Button } from '../../ui/Button.tsx';
import { toast } from '../../ui/toast.ts';

const failed = t`The reference could not be set`;

/** On a finished roast of a recipe: shows or sets it as the recipe's reference. */
export const RecipeReference = ({ roast }: { roast: Roast }) => {
  const { profile_id: profileId } = roast;
  const isUsable = roast.status === 'completed' && roast.channels.length > 0 && profileId !== null;
  const { data: recipe } = useApi(getProfile, isUsable ? { params: { id: profileId } } : null);
  const { run, isBusy } = useAction();
  if (recipe === undefined || !isUsable) return null;
  const isReference = recipe.reference_roast_id === roast.id;
  const isChosen = isReference && recipe.reference_is_chosen;

  const choose = async (roastId: string | null) => {
    await call(setReferenceRoast, { params: { id: recipe.id }, body: { roast_id: roastId } });
    await refresh(getProfile, listProfiles);
    const before = recipe.reference_is_chosen ? recipe.reference_roast_id : null;
    toast(
      roastId === null
        ? t`${recipe.name} uses its highest-scoring roast as the reference`
        : t`${recipe.name} now uses this roast as the reference`,
      { action: { label: t`Undo`, run: () => void attempt(() => choose(before), failed) }, stays: 10_000 },
    );
  };
  return (
    <div
      className={classes(
        'flex flex-wrap items-center justify-between gap-x-3 gap-y-2 border-t border-stroke px-4 py-3 text-sm print:px-3 print:py-1',
        !isReference && 'print:hidden',
      )}
    >
      {isChosen ? (
        <>
          <p className="flex min-w-0 items-center gap-2 text-content">
            <Target aria-hidden className="size-4 shrink-0 text-accent-text" />
            <span className="min-w-0">{t`Reference of ${recipe.name}`}</span>
          </p>
          <Button busy={isBusy} onClick={() => void run(() => choose(null), failed)}>
            {t`Use the highest-scoring roast`}
          </Button>
        </>
      ) : (
        <>
          {isReference && <p className="text-muted">{t`Reference of ${recipe.name}: its highest-scoring roast`}</p>}
          <Button
            icon={<Target aria-hidden />}
            busy={isBusy}
            onClick={() => void run(() => choose(roast.id), failed)}
            className="max-w-full whitespace-normal! pointer-coarse:h-auto! pointer-coarse:min-h-10"
          >
            {t`Use as reference of ${recipe.name}`}
          </Button>
        </>
      )}
    </div>
  );
};
