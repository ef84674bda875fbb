import { listMachines } from '@roastery/contract/machines';
import { getRoasterySettings, putRoasterySettings } from '@roastery/contract/settings';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { t } from '../../language/t.ts';
import { Card } from '../../ui/Card.tsx';
import { Switch } from '../../ui/Checkbox.tsx';

/** Whether every user is a roaster of every machine. Takes effect at once. */
export const SharingCard = () => {
  const { data } = useApi(getRoasterySettings, {}, { revalidateOnFocus: false });
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const turn = async (on: boolean) => {
    setFailure(null);
    setBusy(true);
    try {
      await call(putRoasterySettings, { body: { all_users_see_all_machines: on } });
      await refresh(getRoasterySettings, listMachines);
    } catch (error) {
      setFailure(sentenceFor(error, t`Failed to save settings`));
    }
    setBusy(false);
  };
  return (
    <Card className="mt-4 max-w-3xl">
      <div className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold text-strong">{t`Shared machines`}</h2>
        <Switch
          label={t`All users see all machines`}
          checked={data?.all_users_see_all_machines ?? false}
          disabled={data === undefined || busy}
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
