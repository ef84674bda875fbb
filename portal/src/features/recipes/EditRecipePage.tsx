import { getProfile } from '@roastery/contract/profiles';
import { useEffect } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { logError } from '../../api/error-log.ts';
import { useApi } from '../../api/use-api.ts';
import { Page } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { EditRecipe } from './EditRecipe.tsx';

/** /recipes/:id: a recipe that can't be loaded is told of, and the list shown instead. */
export default function EditRecipePage() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const { data: recipe, error } = useApi(getProfile, { params: { id } });
  const failed = error !== undefined && recipe === undefined;
  useEffect(() => {
    if (!failed) return;
    logError('Failed to load recipe data', error);
    toast('Failed to load recipe data', { tone: 'danger' });
    void navigate(paths.recipes, { replace: true });
  }, [failed, error, navigate]);
  return <Page>{recipe === undefined ? <Loading /> : <EditRecipe key={recipe.id} recipe={recipe} />}</Page>;
}

const Loading = () => (
  <div aria-busy className="flex flex-col gap-4">
    <Skeleton className="h-4 w-48" />
    <Skeleton className="h-7 w-64" />
    <div className="mt-2 grid gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <Skeleton className="h-80 w-full" />
      <Skeleton className="h-80 w-full" />
      <Skeleton className="h-80 w-full" />
    </div>
    <Skeleton className="h-112 w-full" />
  </div>
);
