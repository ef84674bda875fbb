import { getLot, updateLot, type Lot } from '@roastery/contract/inventory';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { ChangedMeanwhile } from '../../components/ChangedMeanwhile.tsx';
import { showFieldErrors } from '../../components/forms.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { mergeThreeWay } from '../../components/three-way.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { toast } from '../../ui/toast.ts';
import { StatusBadge } from './lot-columns.tsx';
import { lotCrumbs } from './lot-crumbs.ts';
import { lotFields, lotLabels, lotResolver, valuesOfLot, type LotBody, type LotValues } from './lot-form-values.ts';
import { refreshLots } from './lot-refresh.ts';
import { LotForm, type LotFormState } from './LotForm.tsx';
import { MovementsPanel } from './MovementsPanel.tsx';
import { StockPanel } from './StockPanel.tsx';

/** A lot's form beside its stock and its ledger. `lot` is the newest there is; the form remembers which one it began with. */
export const EditLot = ({ lot }: { lot: Lot }) => {
  const { isLeaving, leaveTo } = useLeave();
  const [base, setBase] = useState(lot);
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<LotValues, unknown, LotBody>({
    resolver: lotResolver,
    defaultValues: valuesOfLot(lot),
    reValidateMode: 'onSubmit',
  });
  const { isDirty } = form.formState;
  const changedMeanwhile = lot.revision !== base.revision;

  // Nothing of one's own is at stake: show what the lot says now.
  if (changedMeanwhile && !isDirty) setBase(lot);
  useEffect(() => {
    if (!form.formState.isDirty) form.reset(valuesOfLot(base));
  }, [base, form]);

  const save = form.handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        await call(updateLot, {
          params: { id: lot.id },
          body: { ...body, is_reserved: form.getValues('is_reserved'), revision: base.revision },
        });
        await refreshLots();
        toast(`Lot ${lot.lot_number} saved`);
        leaveTo(paths.lots);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'changed_meanwhile') await refresh(getLot);
        else {
          showFieldErrors<LotValues>(error, lotFields, form.setError);
          setFailure(sentenceWithFields(error, 'Failed to save lot'));
        }
      }
    },
    () => setFailure('Please fix the errors in the form'),
  );

  return (
    <>
      <UnsavedChanges dirty={isDirty && !isLeaving} />
      <PageHeader
        title={`Lot ${lot.lot_number}`}
        heading={lot.coffee_name}
        crumbs={lotCrumbs(`Lot ${lot.lot_number}`)}
        badges={<StatusBadge status={lot.status} />}
        subtitle={<span className="font-mono text-sm">{lot.lot_number}</span>}
      />
      <div className="grid items-start gap-4 lg:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="lg:col-start-2 lg:row-start-1">
          <StockPanel lot={lot} />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <LotForm
            form={form}
            lot={lot}
            failure={failure}
            onSubmit={() => void save()}
            notice={
              changedMeanwhile &&
              isDirty && (
                <Conflict
                  form={form}
                  base={base}
                  newest={lot}
                  onSettled={() => {
                    setBase(lot);
                    setFailure(null);
                  }}
                />
              )
            }
          />
        </div>
        <div className="min-w-0 lg:col-start-2 lg:row-start-2">
          <MovementsPanel lot={lot} />
        </div>
      </div>
    </>
  );
};

interface ConflictProps {
  form: LotFormState;
  base: Lot;
  newest: Lot;
  onSettled: () => void;
}

const textOf = (value: string | boolean): string => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : value);

const Conflict = ({ form, base, newest, onSettled }: ConflictProps) => {
  const own = form.getValues();
  const now = valuesOfLot(newest);
  const { merged, theirs, clashes } = mergeThreeWay(valuesOfLot(base), now, own);
  return (
    <ChangedMeanwhile
      thing="lot"
      theirs={theirs.map((field) => lotLabels[field])}
      clashes={clashes.map((field) => ({
        label: lotLabels[field],
        now: textOf(now[field]),
        yours: textOf(own[field]),
      }))}
      onMerge={() => {
        form.reset(now);
        form.reset(merged, { keepDefaultValues: true });
        onSettled();
      }}
      onDiscard={() => {
        form.reset(now);
        onSettled();
      }}
    />
  );
};
