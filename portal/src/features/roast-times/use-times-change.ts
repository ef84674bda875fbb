import { changeTimesToCheck, listTimesToCheck } from '@roastery/contract/roast-times';
import type { BodyOf } from '@roastery/contract/endpoint';
import { listRoasts } from '@roastery/contract/roasts';
import { call } from '../../api/call.ts';
import { useAction } from '../../components/use-action.ts';
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

const shown = [listTimesToCheck, listRoasts];

/** Corrects times, confirms them, or undoes either; all that shows times of roasts is read again. */
export const useTimesChange = () => {
  const { run, isBusy } = useAction({ after: shown });
  const apply = (body: TimesChange): Promise<void> =>
    run(
      async () => {
        const { roasts } = await call(changeTimesToCheck, { body });
        toast(doneText(body.action, roasts));
      },
      t`The times could not be changed`,
    );
  return { busy: isBusy, apply };
};
