import { chooseRoastUpload, type Upload, type UploadChoices } from '@roastery/contract/imports';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

/** Has the server read the file again with one changed choice. */
export const useChoices = (upload: Upload, onChanged: (upload: Upload) => void) => {
  const [busy, setBusy] = useState(false);
  const choose = async (change: UploadChoices) => {
    setBusy(true);
    try {
      const body = { ...upload.choices, ...change };
      // Another unit of time moves everything: detect charge and drop again.
      if (change.time_unit !== undefined) {
        delete body.charge_seconds;
        delete body.drop_seconds;
      }
      onChanged(await call(chooseRoastUpload, { params: { id: upload.id }, body }));
    } catch (error) {
      logError('The file could not be read again', error);
      toast(sentenceFor(error, t`The file could not be read again`), { tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return { busy, choose };
};
