import { chooseRoastUpload, type ColumnChoice, type Upload, type UploadChoices } from '@roastery/contract/imports';
import { useRef } from 'react';
import { call } from '../../api/call.ts';
import { useInOrder } from '../../api/use-api.ts';
import { attempt } from '../../components/attempt.ts';
import { t } from '../../language/t.ts';

/** Makes the server read the file again with one changed choice; quick ones in order, each with the previous ones. */
export const useChoices = (upload: Upload, onChanged: (upload: Upload) => Promise<unknown>) => {
  const { inOrder, isSaving } = useInOrder();
  const stored = useRef(upload);
  const send = (changeOf: (latest: Upload) => UploadChoices): Promise<void> =>
    attempt(
      () =>
        inOrder(async () => {
          const change = changeOf(stored.current);
          const body = { ...stored.current.choices, ...change };
          // Another unit of time, or another column of it, moves everything: detect charge and drop again.
          if (change.time_unit !== undefined || change.columns !== undefined) {
            delete body.charge_seconds;
            delete body.drop_seconds;
          }
          // The columns state their units themselves.
          if (change.columns !== undefined) {
            delete body.time_unit;
            delete body.temperature_unit;
          }
          const read = await call(chooseRoastUpload, { params: { id: upload.id }, body });
          stored.current = read;
          await onChanged(read);
        }),
      t`The file could not be read again`,
    );
  const choose = (change: UploadChoices) => send(() => change);
  /** Changes the columns as they are after the previous change. */
  const assign = (change: (columns: readonly ColumnChoice[]) => ColumnChoice[]) =>
    send(({ table }) => ({ columns: change(table?.columns ?? []) }));
  return { isSaving, choose, assign };
};
export type Choices = ReturnType<typeof useChoices>;
