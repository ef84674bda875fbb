import { getBlend, listBlendableRoasts, listBlends, updateBlend, type Blend } from '@roastery/contract/blends';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { Card } from '../../ui/Card.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { blendCrumbs, blendFailure } from './blend-texts.ts';
import { bodyOfBlend, valuesOfBlend } from './blend-values.ts';
import { BlendForm } from './BlendForm.tsx';

/** /roasts/blends/{id}: changes a blend. */
export default function EditBlendPage() {
  const { id } = useParams();
  const {
    data: blend,
    error,
    mutate,
  } = useApi(getBlend, id === undefined ? null : { params: { id } }, { revalidateOnFocus: false });
  return (
    <Page>
      <PageHeader title={blend?.name ?? 'Blend'} crumbs={blendCrumbs(blend?.name ?? 'Blend')} />
      {blend ? (
        <EditBlend key={`${blend.id}-${blend.revision}`} blend={blend} />
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

const EditBlend = ({ blend }: { blend: Blend }) => {
  const { isLeaving, leaveTo } = useLeave();
  const before = useMemo(() => valuesOfBlend(blend), [blend]);
  const [values, setValues] = useState(before);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  // How much of each roast may be taken: what is left, and what this blend holds already.
  const { data: left } = useApi(listBlendableRoasts, { query: { limit: 500, blend_id: blend.id } });
  const known = new Map(left?.roasts.map((roast) => [roast.roast_id, roast.left_kg]));
  const shown = {
    ...values,
    lines: values.lines.map((line) => ({ ...line, leftKg: known.get(line.roastId) ?? line.leftKg })),
  };
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const body = { ...bodyOfBlend(values), revision: blend.revision };
      const saved = await call(updateBlend, { params: { id: blend.id }, body });
      await refresh(listBlends, listBlendableRoasts);
      toast(`Blend ${saved.name} updated`);
      leaveTo(paths.blends);
    } catch (error) {
      setFailure(blendFailure(error));
      await refresh(listBlendableRoasts);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <UnsavedChanges dirty={values !== before && !isLeaving} />
      <BlendForm
        blend={blend}
        values={shown}
        onChange={setValues}
        failure={failure}
        busy={busy}
        onSubmit={() => void save()}
      />
    </>
  );
};
