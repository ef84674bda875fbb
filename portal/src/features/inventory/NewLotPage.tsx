import { createLot } from '@roastery/contract/inventory';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { showFieldErrors } from '../../components/forms.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { toast } from '../../ui/toast.ts';
import { lotCrumbs } from './lot-crumbs.ts';
import { emptyLot, lotFields, lotResolver, type LotBody, type LotValues } from './lot-form-values.ts';
import { refreshLots } from './lot-refresh.ts';
import { LotForm } from './LotForm.tsx';

/** /inventory/lots/new: takes a lot in. */
export default function NewLotPage() {
  const { isLeaving, leaveTo } = useLeave();
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<LotValues, unknown, LotBody>({
    resolver: lotResolver,
    defaultValues: emptyLot,
    reValidateMode: 'onSubmit',
  });
  const save = form.handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        const lot = await call(createLot, { body });
        await refreshLots();
        toast(`Lot ${lot.lot_number} saved`);
        leaveTo(paths.lots);
      } catch (error) {
        showFieldErrors<LotValues>(error, lotFields, form.setError);
        setFailure(sentenceWithFields(error, 'Failed to save lot'));
      }
    },
    () => setFailure('Please fix the errors in the form'),
  );
  return (
    <Page>
      <UnsavedChanges dirty={form.formState.isDirty && !isLeaving} />
      <div className="mx-auto max-w-3xl">
        <PageHeader title="Add lot" crumbs={lotCrumbs('New lot')} subtitle="Green coffee as it comes in." />
        <LotForm form={form} failure={failure} onSubmit={() => void save()} />
      </div>
    </Page>
  );
}
