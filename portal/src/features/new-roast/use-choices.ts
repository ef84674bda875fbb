import { chooseRoastUpload, type Upload, type UploadChoices } from '@roastery/contract/imports';
import { useRef } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { useInOrder } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

/** Makes the server read the file again with one changed choice; quick ones in order, each with the previous ones. */
export const useChoices = (upload: Upload, onChanged: (upload: Upload) => Promise<unknown>) => {
  const { inOrder, isSaving } = useInOrder();
  const stored = useRef(upload.choices);
  const choose = async (change: UploadChoices): Promise<void> => {
    try {
      await inOrder(async () => {
        const body = { ...stored.current, ...change };
        // Another unit of time moves everything: detect charge and drop again.
        if (change.time_unit !== undefined) {
          delete body.charge_seconds;
          delete body.drop_seconds;
        }
        const read = await call(chooseRoastUpload, { params: { id: upload.id }, body });
        stored.current = read.choices;
        await onChanged(read);
      });
    } catch (error) {
      logError('The file could not be read again', error);
      toast(sentenceFor(error, t`The file could not be read again`), { tone: 'danger' });
    }
  };
  return { isSaving, choose };
};
export type Choices = ReturnType<typeof useChoices>;
