import { getBlend } from '@roastery/contract/blends';
import { useParams } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { Unread } from '../../components/ErrorState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { BlendForm } from './BlendForm.tsx';

/** /roasts/blends/new and /roasts/blends/{id} */
export default function BlendPage() {
  const { id } = useParams();
  const isNew = id === undefined;
  const { data, error, mutate } = useApi(getBlend, isNew ? null : { params: { id } }, { revalidateOnFocus: false });
  const here = isNew ? t`New blend` : (data?.name ?? t`Blend`);
  return (
    <Page>
      <PageHeader
        title={isNew ? t`Add blend` : here}
        crumbs={[
          { label: t`Roasts`, to: paths.roasts },
          { label: t`Post-roast blends`, to: paths.blends },
          { label: here },
        ]}
      />
      {isNew || data !== undefined ? (
        <BlendForm key={id} {...(data === undefined ? {} : { blend: data })} />
      ) : (
        <Card>
          <Unread
            skeleton="m-4 h-72"
            title={t`The blend could not be loaded`}
            error={error}
            onRetry={() => void mutate()}
          />
        </Card>
      )}
    </Page>
  );
}
