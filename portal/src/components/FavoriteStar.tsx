import { getProfile, listProfiles, toggleProfileFavorite, type Profile } from '@roastery/contract/profiles';
import { listRoasts, setRoastFavorite, type RoastRow } from '@roastery/contract/roasts';
import { Star as StarIcon } from 'lucide-react';
import { call } from '../api/call.ts';
import { refresh, useInOrder } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { classes } from '../ui/classes.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useChosen } from './saved-fields.tsx';
import { attempt } from './attempt.ts';

type Favorite = [isFavorite: boolean, toggle: () => void];

/** Changes at once, and is reverted when the server refuses. */
const useFavorite = (stored: boolean, save: (isFavorite: boolean) => Promise<unknown>): Favorite => {
  const { inOrder } = useInOrder();
  const [isFavorite, choose] = useChosen(stored, (next) =>
    attempt(() => inOrder(() => save(next)), t`The favorite could not be saved`),
  );
  const toggle = () => choose(!isFavorite);
  return [isFavorite, toggle];
};

/** Whether a roast is one of the person's favorites, and the function that changes it. */
export const useFavoriteRoast = (roast: RoastRow): Favorite =>
  useFavorite(roast.is_favorite, async (is_favorite) => {
    await call(setRoastFavorite, { params: { id: roast.id }, body: { is_favorite } });
    await refresh(listRoasts);
  });

const Star = ({ name, favorite: [isFavorite, toggle] }: { name: string; favorite: Favorite }) => (
  <IconButton
    label={isFavorite ? t`Remove ${name} from favorites` : t`Add ${name} to favorites`}
    aria-pressed={isFavorite}
    icon={<StarIcon aria-hidden className={classes(isFavorite && 'fill-current text-warning')} />}
    onClick={toggle}
    className="relative z-1"
  />
);

export const RoastStar = ({ roast }: { roast: RoastRow }) => (
  <Star name={roast.said_number} favorite={useFavoriteRoast(roast)} />
);

export const RecipeStar = ({ recipe }: { recipe: Profile }) => {
  const favorite = useFavorite(recipe.is_favorite, async () => {
    await call(toggleProfileFavorite, { params: { id: recipe.id } });
    await refresh(listProfiles, getProfile);
  });
  return <Star name={recipe.name} favorite={favorite} />;
};
