import type { Profile } from '@roastery/contract/profiles';
import { Copy, Package, Trash2 } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Measure } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { weightText } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { RecipeStar } from '../../components/FavoriteStar.tsx';
import { ProfileSparkline } from './ProfileSparkline.tsx';
import { isInsufficient, minutesText } from './recipes.ts';

interface RecipeCardProps {
  recipe: Profile;
  /** Both must be stable: hundreds of cards must not render again for a key press. */
  onClone: (recipe: Profile) => void;
  onDelete: (recipe: Profile) => void;
}

/** A recipe in the list. The card opens it; Clone and Delete appear on hover and focus, and always by touch. */
export const RecipeCard = memo(({ recipe, onClone, onDelete }: RecipeCardProps) => (
  <article
    aria-label={recipe.name}
    className="group relative flex min-w-0 flex-col rounded-lg border border-stroke bg-surface transition-colors [contain-intrinsic-size:auto_18rem] [content-visibility:auto] hover:border-stroke-control"
  >
    <header className="flex items-start justify-between gap-2 pt-3 pr-2 pl-4">
      <div className="min-w-0 pt-1">
        <h2 className="text-lg leading-snug font-semibold text-strong">
          <Link
            to={paths.recipe(recipe.id)}
            className="wrap-anywhere after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus"
          >
            {recipe.name}
          </Link>
        </h2>
        <Badge className="mt-1.5">{recipe.roast_level}</Badge>
      </div>
      <RecipeStar recipe={recipe} />
    </header>
    <p className="mx-4 mt-2 line-clamp-2 text-base sm:min-h-11 text-muted">{recipe.description}</p>
    <ProfileSparkline
      points={recipe.control_profile}
      interpolated={recipe.auto_interpolate}
      className="mx-4 mt-3 h-11 border-b border-stroke"
    />
    <dl className="grid grid-cols-2 gap-x-4 gap-y-2 px-4 py-3 text-sm">
      <Fact label={t`Target temp`}>
        <Measure quantity="temperature" value={recipe.target_drop_temp} />
      </Fact>
      <Fact label={t`Roast time`}>
        <span className="figures text-strong">{minutesText(recipe.target_roast_time)}</span>
        <span className="text-[0.85em] text-muted"> min</span>
      </Fact>
      <Fact label={t`Origin`}>{recipe.coffee_origin}</Fact>
      <Fact label={t`Variety`}>{recipe.coffee_variety}</Fact>
    </dl>
    <footer className="mt-auto flex min-h-11 items-center justify-between gap-2 border-t border-stroke py-1 pr-2 pl-4 text-sm text-muted">
      <span className="flex min-w-0 items-center gap-3">
        <span className="figures whitespace-nowrap">
          {t`Used ${<span className="text-strong">{recipe.times_used}</span>}×`}
        </span>
        {recipe.lot_info !== null && (
          <span className="flex min-w-0 items-center gap-1.5">
            <Package aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate font-mono text-xs">{recipe.lot_info.lot_number}</span>
            <span
              className={
                isInsufficient(recipe.lot_info.current_weight, recipe.max_batch_size)
                  ? 'figures whitespace-nowrap text-danger'
                  : 'figures whitespace-nowrap'
              }
            >
              {weightText(recipe.lot_info.current_weight)}
            </span>
          </span>
        )}
      </span>
      <span className="relative z-1 flex shrink-0 opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        <IconButton label={t`Clone ${recipe.name}`} icon={<Copy aria-hidden />} onClick={() => onClone(recipe)} />
        <IconButton
          label={t`Delete ${recipe.name}`}
          tone="danger"
          icon={<Trash2 aria-hidden />}
          onClick={() => onDelete(recipe)}
        />
      </span>
    </footer>
  </article>
));
RecipeCard.displayName = 'RecipeCard';

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="label-mono text-2xs">{label}</dt>
    <dd className="truncate text-strong">
      {children === null || children === '' ? <span className="text-faint">--</span> : children}
    </dd>
  </div>
);
