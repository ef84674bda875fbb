import { listMachines } from '@roastery/contract/machines';
import { getRoasterySettings, putRoasterySettings } from '@roastery/contract/settings';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { Switch } from '../../ui/Checkbox.tsx';

const shown = [getRoasterySettings, listMachines];

/** Whether every user is a roaster of every machine. Takes effect at once. */
export const SharingCard = () => {
  const { data } = useApi(getRoasterySettings, {}, { revalidateOnFocus: false });
  const { run, isBusy, failure } = useAction({ beside: true, after: shown });
  const turn = (on: boolean) =>
    run(() => call(putRoasterySettings, { body: { all_users_see_all_machines: on } }), t`Failed to save settings`);
  return (
    <Card className="mt-4 max-w-3xl">
      <div className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold text-strong">{t`Shared machines`}</h2>
        <Switch
          label={t`All users see all machines`}
          checked={data?.all_users_see_all_machines ?? false}
          disabled={data === undefined || isBusy}
          onChange={(on) => void turn(on)}
        />
        <p className="text-sm text-muted">
          {t`Every user becomes a roaster of every machine. If off, users see only their own machines and those shared with them under People.`}
        </p>
        <FormError text={failure} />
      </div>
    </Card>
  );
};
