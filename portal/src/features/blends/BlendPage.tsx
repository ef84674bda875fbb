import { getBlend } from '@roastery/contract/blends';
import { useParams } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { BlendForm } from './BlendForm.tsx';

/** /roasts/blends/new and /roasts/blends/{id} */
export default function BlendPage() {
  const { id } = useParams();
  const isNew = id === undefined;
  const { data, error, mutate } = useApi(getBlend, isNew ? null : { params: { id } }, { revalidateOnFocus: false });
  const here = isNew ? 'New blend' : (data?.name ?? 'Blend');
  return (
    <Page>
      <PageHeader
        title={isNew ? 'Add blend' : here}
        crumbs={[
          { label: 'Home', to: paths.dashboard },
          { label: 'Roasts', to: paths.roasts },
          { label: 'Post-roast blends', to: paths.blends },
          { label: here },
        ]}
      />
      {isNew || data !== undefined ? (
        <BlendForm key={id} {...(data === undefined ? {} : { blend: data })} />
      ) : (
        <Card>
          {error === undefined ? (
            <Skeleton className="m-4 h-72" />
          ) : (
            <ErrorState title="The blend could not be loaded" error={error} onRetry={() => void mutate()} />
          )}
        </Card>
      )}
    </Page>
  );
}
