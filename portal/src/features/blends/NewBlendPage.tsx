import { createBlend, listBlendableRoasts, listBlends } from '@roastery/contract/blends';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { toast } from '../../ui/toast.ts';
import { blendCrumbs, blendFailure } from './blend-texts.ts';
import { bodyOfBlend, emptyBlend } from './blend-values.ts';
import { BlendForm } from './BlendForm.tsx';

/** /roasts/blends/new: mixes finished roasts. */
export default function NewBlendPage() {
  const { isLeaving, leaveTo } = useLeave();
  const [values, setValues] = useState(emptyBlend);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setFailure(null);
    try {
      const blend = await call(createBlend, { body: bodyOfBlend(values) });
      await refresh(listBlends, listBlendableRoasts);
      toast(`Blend ${blend.name} saved`);
      leaveTo(paths.blends);
    } catch (error) {
      setFailure(blendFailure(error));
      // Somebody may have taken of the same roasts meanwhile.
      await refresh(listBlendableRoasts);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Page>
      <UnsavedChanges dirty={values !== emptyBlend && !isLeaving} />
      <PageHeader title="Add blend" crumbs={blendCrumbs('New blend')} />
      <BlendForm values={values} onChange={setValues} failure={failure} busy={busy} onSubmit={() => void save()} />
    </Page>
  );
}
