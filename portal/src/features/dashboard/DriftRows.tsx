import { dismissMachineDrift } from '@roastery/contract/machine-drift';
import { listMachines, type Machine } from '@roastery/contract/machines';
import { ScanSearch } from 'lucide-react';
import { call } from '../../api/call.ts';
import { DismissNotice } from '../../components/DismissNotice.tsx';
import { attempt } from '../../components/attempt.ts';
import { driftText } from '../../components/drift-text.ts';
import { paths } from '../../components/paths.ts';
import { useDates, usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { TaskRow } from './TaskRow.tsx';

/** Machines whose probes or burner have changed. */
export default function DriftRows({ machines }: { machines: readonly Machine[] }) {
  const [dates, units] = [useDates(), usePreferences()];
  return machines.map(({ id, display_name: name, drift }) => {
    if (drift === null) return null;
    const params = { id, drift_id: drift.id };
    const dismiss = () =>
      attempt(() => call(dismissMachineDrift, { params }), t`Failed to hide the notice`, [listMachines]);
    const text = `${name}: ${driftText(drift, units, dates)}`;
    return (
      <TaskRow key={drift.id} task={{ id: drift.id, icon: <ScanSearch />, text, to: paths.machineLessons(id) }}>
        <div className="px-2 py-1.5 text-sm">
          <DismissNotice
            label={t`Dismiss: ${text}`}
            question={t`Hide it from your dashboard? The machine’s page keeps it.`}
            onDismiss={() => void dismiss()}
          />
        </div>
      </TaskRow>
    );
  });
}
