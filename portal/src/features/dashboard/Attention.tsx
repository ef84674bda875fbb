import { listRecentAlarms } from '@roastery/contract/alarms';
import { systemStats } from '@roastery/contract/dashboard';
import { listLots, type Lot } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { BellRing, Package, TriangleAlert, Weight } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useApi, useSettled } from '../../api/use-api.ts';
import { alarmsByFault } from '../../components/alarms/alarm-groups.ts';
import { faultText } from '../../components/alarms/alarm-texts.ts';
import { silenceText } from '../../components/live/silence-text.ts';
import { mayManage } from '../../components/people/roles.ts';
import { paths } from '../../components/paths.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { TaskRow, type Task } from './TaskRow.tsx';

/** Machines seldom drift: the first page goes without the sentences. */
const DriftRows = lazy(() => import('./DriftRows.tsx'));

const refreshMs = 60_000;
/** The page that was opened comes first. */
const settleMs = 1500;
const soonDays = 14;
const lotsShown = 3;

/** What needs a person: machines that do not answer or have changed, alarms, roasts to weigh, coffee that runs out. Nothing while nothing does. */
export const Attention = () => {
  const tasks = [...useMachineTasks(), ...useAlarmTask(), ...useWeighTask(), ...useStockTasks()];
  const { data: machines = [] } = useApi(listMachines, { query: { sort: 'name' } });
  const drifted = machines.filter(({ drift }) => drift !== null);
  if (tasks.length === 0 && drifted.length === 0) return null;
  return (
    <Panel title={t`Needs attention`} className="max-lg:order-first">
      <ul className="divide-y divide-stroke">
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
        {drifted.length > 0 && (
          <Suspense fallback={null}>
            <DriftRows machines={drifted} />
          </Suspense>
        )}
      </ul>
    </Panel>
  );
};

const useMachineTasks = (): Task[] => {
  const dates = useDates();
  const { data = [] } = useApi(listMachines, { query: { sort: 'name' } });
  return data.flatMap((machine) => {
    const { id, display_name: name, connection, lacks_map: lacksMap, role } = machine;
    const to = mayManage(role) ? paths.machineSettings(id) : paths.cockpit(id);
    const silence = silenceText(machine, dates);
    const text =
      silence !== null ? `${name}: ${silence}` : lacksMap && connection === 'online' ? t`${name} has no map` : null;
    return text === null ? [] : [{ id, icon: <TriangleAlert />, text, to, isUrgent: true }];
  });
};

const useAlarmTask = (): Task[] => {
  const { data } = useApi(listRecentAlarms, useSettled(settleMs) ? {} : null, { refreshInterval: refreshMs });
  const faults = alarmsByFault(data?.alarms ?? []);
  const [newest] = faults;
  if (newest === undefined) return [];
  const [alarm] = newest;
  const more = faults.length - 1;
  const text = `${alarm.machine_name}: ${faultText(newest)}`;
  return [
    {
      id: 'alarms',
      icon: <BellRing />,
      text:
        more === 0 ? text : more === 1 ? t`${text}, and 1 more alarm today` : t`${text}, and ${more} more alarms today`,
      to: alarm.is_running ? paths.cockpit(alarm.machine_id) : paths.roast(alarm.roast_id),
    },
  ];
};

const useWeighTask = (): Task[] => {
  const count = useApi(systemStats, {}).data?.unweighedRoasts ?? 0;
  if (count === 0) return [];
  const text = count === 1 ? t`1 roast is not weighed yet` : t`${formatCount(count)} roasts are not weighed yet`;
  return [{ id: 'weigh', icon: <Weight />, text, to: paths.unweighedRoasts() }];
};

const useStockTasks = (): Task[] => {
  const query = { runs_out_within_days: soonDays, sort: 'estimated_runout_days', limit: lotsShown } as const;
  const { data } = useApi(listLots, useSettled(settleMs) ? { query } : null, { refreshInterval: refreshMs });
  const more = (data?.total ?? 0) - lotsShown;
  const tasks = (data?.lots ?? []).map((lot) => ({
    id: lot.id,
    icon: <Package />,
    text: runOutSentence(lot),
    to: paths.editLot(lot.id),
  }));
  if (more > 0)
    tasks.push({ id: 'lots', icon: <Package />, text: t`${more} more lots run out within two weeks`, to: paths.lots });
  return tasks;
};

const runOutSentence = ({ coffee_name: coffee, lot_number: number, estimated_runout_days: days }: Lot): string => {
  const whole = Math.floor(days ?? 0);
  const name = `${coffee} ${number}`;
  if (whole < 1) return t`${name} runs out within a day`;
  return whole === 1 ? t`${name} runs out in 1 day` : t`${name} runs out in ${whole} days`;
};
