import { listRoasts, setRoastFavorite, type RoastRow } from '@roastery/contract/roasts';
import { Star } from 'lucide-react';
import { useOptimistic, useTransition } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { roastNumber } from '../../components/live/roast-texts.ts';

/** Whether a roast is among the user's favorites, and what changes it: at once, reverted if the server refuses. */
export const useFavorite = (roast: RoastRow): [boolean, () => void] => {
  const [, start] = useTransition();
  const [on, setOn] = useOptimistic(roast.is_favorite);
  const toggle = () =>
    start(async () => {
      setOn(!roast.is_favorite);
      try {
        await call(setRoastFavorite, { params: { id: roast.id }, body: { is_favorite: !roast.is_favorite } });
        await refresh(listRoasts);
      } catch (error) {
        toast(sentenceFor(error, t`The favorite could not be saved`), { tone: 'danger' });
      }
    });
  return [on, toggle];
};

export const FavoriteStar = ({ roast }: { roast: RoastRow }) => {
  const [on, toggle] = useFavorite(roast);
  return (
    <IconButton
      label={on ? t`Remove ${roastNumber(roast)} from favorites` : t`Add ${roastNumber(roast)} to favorites`}
      aria-pressed={on}
      icon={<Star aria-hidden className={classes(on && 'fill-current text-warning')} />}
      onClick={toggle}
      className="relative z-1"
    />
  );
};
