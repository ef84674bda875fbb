import { updateRoastFromUpload, type Upload } from '@roastery/contract/imports';
import { getRoast, listRoasts, type Roast } from '@roastery/contract/roasts';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { Unread } from '../../components/ErrorState.tsx';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { FormActions } from '../../components/form/RecordForm.tsx';
import { batchLabel, coffeeName } from '../../components/live/roast-texts.ts';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card, Panel } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { toast } from '../../ui/toast.ts';

interface UpdateRoastProps {
  upload: Upload;
  /** The roast whose original it is. */
  roastId: string;
  /** With other units or marks: the roast is updated with the data read with them. */
  isBeingRead: boolean;
}

/** The original of a roast was read again: the roast is updated with it. */
export const UpdateRoast = ({ upload, roastId, isBeingRead }: UpdateRoastProps) => {
  const { data: roast, error, mutate } = useApi(getRoast, { params: { id: roastId } });
  if (roast !== undefined) return <LoadedUpdate {...{ upload, roast, isBeingRead }} />;
  return (
    <Card>
      <Unread skeleton="m-4 h-32" title={t`Failed to load roast`} error={error} onRetry={() => void mutate()} />
    </Card>
  );
};

type Time = 'stays' | 'file';

const LoadedUpdate = ({ upload, roast, isBeingRead }: Omit<UpdateRoastProps, 'roastId'> & { roast: Roast }) => {
  const dates = useDates();
  const navigate = useNavigate();
  const [time, setTime] = useState<Time>('stays');
  const { run, isBusy, failure } = useAction({ beside: true });
  const { start_time: inFile } = upload;
  const isOther = inFile !== null && Date.parse(inFile) !== Date.parse(roast.start_time);
  const update = async () => {
    const body = isOther && time === 'file' ? { start_time: inFile } : {};
    await call(updateRoastFromUpload, { params: { id: upload.id }, body });
    await refresh(getRoast, listRoasts);
    toast(t`Roast updated`);
    await navigate(paths.roast(roast.id));
  };
  return (
    <section aria-label={t`Roast read again`} className="flex flex-col gap-4">
      <Panel title={t`Update ${batchLabel(roast)} · ${coffeeName(roast)}`}>
        <div className="flex flex-col gap-4 p-4 text-sm text-content">
          <p className="max-w-prose">
            {t`The curve and the marks of the file are replaced. Corrected marks, machine, lot and everything else that was entered stay; empty fields are filled from the file.`}
          </p>
          {isOther && (
            <Select
              label={t`Time of the roast`}
              className="max-w-md"
              choices={[
                { value: 'stays', label: t`As now: ${dates.dayAndTime(roast.start_time)}` },
                { value: 'file', label: t`As in the file: ${dates.dayAndTime(inFile)}` },
              ]}
              value={time}
              onChange={setTime}
            />
          )}
        </div>
      </Panel>
      <FormActions>
        <FormError text={failure} />
        <div className="flex flex-wrap items-center justify-end gap-3">
          <ButtonLink size="md" to={paths.roast(roast.id)}>
            {t`Cancel`}
          </ButtonLink>
          <Button
            size="md"
            kind="primary"
            disabled={isBeingRead || upload.missing !== null}
            busy={isBusy}
            onClick={() => void run(update, t`The roast could not be updated`)}
          >
            {t`Update roast`}
          </Button>
        </div>
      </FormActions>
    </section>
  );
};
