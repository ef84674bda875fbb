import { changeTimesToCheck, listTimesToCheck } from '@roastery/contract/roast-times';
import type { BodyOf } from '@roastery/contract/endpoint';
import { listRoasts } from '@roastery/contract/roasts';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';

export type TimesChange = BodyOf<typeof changeTimesToCheck>;

const doneText = (action: TimesChange['action'], roasts: number): string => {
  const count = formatCount(roasts);
  if (action === 'shift') return roasts === 1 ? t`1 time corrected` : t`${count} times corrected`;
  if (action === 'confirm') return roasts === 1 ? t`1 time confirmed` : t`${count} times confirmed`;
  return roasts === 1 ? t`1 roast is to be checked again` : t`${count} roasts are to be checked again`;
};

/** Corrects times, confirms them, or undoes either; all that shows times of roasts is read again. */
export const useTimesChange = () => {
  const [busy, setBusy] = useState(false);
  const apply = async (body: TimesChange): Promise<void> => {
    setBusy(true);
    try {
      const { roasts } = await call(changeTimesToCheck, { body });
      await refresh(listTimesToCheck, listRoasts);
      toast(doneText(body.action, roasts));
    } catch (error) {
      toast(sentenceFor(error, t`The times could not be changed`), { tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return { busy, apply };
};
