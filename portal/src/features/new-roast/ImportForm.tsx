import { createRoastFromUpload, takeUploadShape, type Upload } from '@roastery/contract/imports';
import { listLots } from '@roastery/contract/inventory';
import { parseShape } from '@roastery/contract/parse-shape';
import { listRoasts } from '@roastery/contract/roasts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { FormProvider, useWatch, type Resolver } from 'react-hook-form';
import type { z } from 'zod';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useUser } from '../../api/session.tsx';
import { refresh } from '../../api/use-api.ts';
import { FormActions, FormFrame } from '../../components/form/RecordForm.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { paths } from '../../components/paths.ts';
import { instantOf, localTimeOf } from '../../format/zoned-time.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { toast } from '../../ui/toast.ts';
import { bodyOfFacts, errorsOfShape, factFields, factsOfUpload, type FactValues } from './fact-values.ts';
import { FactsFields } from './FactsFields.tsx';

type TakeBody = z.output<typeof takeUploadShape>;

const resolverIn =
  (timeZone: string, stated: { local: string; instant: string | null }): Resolver<FactValues, unknown, TakeBody> =>
  (values) => {
    // A field of minutes would cut off the seconds of the file.
    const instant = values.start_time === stated.local ? stated.instant : instantOf(values.start_time, timeZone);
    const parsed = parseShape(takeUploadShape, { ...bodyOfFacts(values), start_time: instant ?? '' });
    if (parsed.success) return { values: parsed.data, errors: {} };
    const errors = errorsOfShape<FactValues>(parsed, factFields);
    if (instant === null) errors.start_time = { type: 'required', message: t`Enter when it was roasted` };
    return { values: {}, errors };
  };

interface ImportFormProps {
  upload: Upload;
  /** With other units or marks: the roast is created from the data read with them. */
  isBeingRead: boolean;
  /** The machine that is chosen; the roast is judged by its roasts. */
  onMachine: (machineId: string | null) => void;
}

/** What was roasted, prefilled from the file; then the roast is imported. */
export const ImportForm = ({ upload, isBeingRead, onMachine }: ImportFormProps) => {
  const { roastery_time_zone: timeZone } = useUser();
  const [twice, setTwice] = useState(false);
  const { start_time: start } = upload;
  const local = start === null ? '' : localTimeOf(start, timeZone);
  const form = useRecordForm({
    values: factsOfUpload(upload, local),
    resolver: useMemo(() => resolverIn(timeZone, { local, instant: start }), [timeZone, local, start]),
    fields: factFields,
    failure: (error) =>
      error instanceof ApiError && error.code === 'not_found'
        ? t`The upload has expired. Choose the file again.`
        : sentenceWithFields(error, t`The roast could not be imported`),
    invalid: t`Please fix the errors in the form`,
    save: (body) =>
      call(createRoastFromUpload, { params: { id: upload.id }, body: { ...body, even_if_duplicate: twice } }),
    saved: async ({ id }, { leaveTo }) => {
      await refresh(listRoasts, listLots);
      toast(t`Roast imported`);
      leaveTo(paths.roast(id));
    },
  });
  const { getValues, setValue } = form.hookForm;
  // Another charge or unit of time moves the start time, unless one was typed.
  const stated = useRef(local);
  useEffect(() => {
    if (getValues('start_time') === stated.current) setValue('start_time', local);
    stated.current = local;
  }, [local, getValues, setValue]);
  const machineId = useWatch({ control: form.hookForm.control, name: 'machine_id' });
  useEffect(() => onMachine(machineId), [machineId, onMachine]);
  const isDuplicate = upload.duplicates.length > 0;
  return (
    <FormProvider {...form.hookForm}>
      <FormFrame of={form} label={t`Roast from a file`} className="flex flex-col gap-4">
        <Panel title={t`What was roasted`}>
          <div className="grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
            <FactsFields coffeeRequired={false} timeZone={timeZone} />
          </div>
        </Panel>
        <FormActions>
          <FormError text={form.failure} />
          <div className="flex flex-wrap items-center justify-end gap-3">
            {isDuplicate && (
              <Checkbox label={t`Import it again`} checked={twice} onChange={setTwice} className="mr-auto" />
            )}
            <ButtonLink size="md" to={paths.roasts}>
              {t`Cancel`}
            </ButtonLink>
            <Button
              size="md"
              kind="primary"
              type="submit"
              disabled={isBeingRead || upload.missing !== null || (isDuplicate && !twice)}
              busy={form.isSubmitting}
            >
              {t`Add roast`}
            </Button>
          </div>
        </FormActions>
      </FormFrame>
    </FormProvider>
  );
};
