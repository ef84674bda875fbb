import { getProfile, listProfiles, toggleProfileFavorite, type Profile } from '@roastery/contract/profiles';
import { Star } from 'lucide-react';
import { useOptimistic, useTransition } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';

/** The person's own star on a recipe; changes at once and back when the server refuses. */
export const FavoriteStar = ({ recipe }: { recipe: Profile }) => {
  const [, start] = useTransition();
  const [on, setOn] = useOptimistic(recipe.is_favorite);
  const toggle = () =>
    start(async () => {
      setOn(!recipe.is_favorite);
      try {
        await call(toggleProfileFavorite, { params: { id: recipe.id } });
        await refresh(listProfiles, getProfile);
      } catch (error) {
        toast(sentenceFor(error, t`The favorite could not be saved`), { tone: 'danger' });
      }
    });
  return (
    <IconButton
      label={on ? t`Remove ${recipe.name} from favorites` : t`Add ${recipe.name} to favorites`}
      aria-pressed={on}
      icon={<Star aria-hidden className={classes(on && 'fill-current text-warning')} />}
      onClick={toggle}
      className="relative z-1"
    />
  );
};
