import {
  confirmChannels,
  exchangeChannels,
  getChannelCheck,
  type ChannelCheck,
} from '@roastery/contract/channel-check';
import { listDevices } from '@roastery/contract/fleet';
import { getBoardConfig, getMachineMap } from '@roastery/contract/machine-maps';
import { listMachines } from '@roastery/contract/machines';
import { ArrowLeftRight, Check } from 'lucide-react';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { toast } from '../../ui/toast.ts';
import { Unread } from '../ErrorState.tsx';
import { attempt } from '../attempt.ts';
import { useAction } from '../use-action.ts';
import { Measure, RelativeTime } from '../figures.tsx';

const pollIntervalMs = 3000;

/** All that shows the map of a machine. */
const shown = [getChannelCheck, getBoardConfig, getMachineMap, listMachines, listDevices];

type SeenMap = NonNullable<ChannelCheck['map']>;
const exchangeFailed = t`Failed to exchange bean and exhaust temperature`;
const bodyOf = ({ id, rev }: SeenMap) => ({ map_id: id, map_rev: rev });

/** Exchanges the two; Undo exchanges them again. */
const exchange = async (machineId: string, seen: SeenMap): Promise<void> => {
  const { map } = await call(exchangeChannels, { params: { id: machineId }, body: bodyOf(seen) });
  const undo = (now: SeenMap) => void attempt(() => exchange(machineId, now), exchangeFailed, shown);
  toast(t`Bean and exhaust temperature exchanged`, {
    detail: t`The board uses the changed map between two roasts.`,
    ...(map !== null && { action: { label: t`Undo`, run: () => undo(map) } }),
  });
};

const confirm = async (machineId: string, seen: SeenMap): Promise<void> => {
  await call(confirmChannels, { params: { id: machineId }, body: bodyOf(seen) });
  toast(t`Bean and exhaust temperature confirmed`);
};

/** Why the owner is asked. */
const doubtOf = ({ suspected, map }: ChannelCheck): string => {
  if (suspected) return t`The readings look as if the two were exchanged.`;
  return map?.source === 'artisan_settings'
    ? t`This map was made from Artisan settings. In some of them the two are exchanged.`
    : t`This map is a copy of one in which the two were exchanged.`;
};

/** What an exchange changes besides this machine. */
const reachOf = ({ makes_copy: makesCopy, others }: ChannelCheck): string | null => {
  if (makesCopy) return t`An exchange makes an own copy of the map for this machine.`;
  const hidden =
    others.hidden === 0
      ? []
      : [others.hidden === 1 ? t`a machine of another user` : t`${others.hidden} machines of other users`];
  const names = [...others.names.map((name) => `“${name}”`), ...hidden];
  return names.length === 0 ? null : t`Other machines use this map and change with it: ${names.join(', ')}.`;
};

/** Registers and present values of bean and exhaust temperature; nothing for a map that does not have both. */
export const ChannelCheckSection = ({ machineId }: { machineId: string }) => {
  const { data, error, mutate } = useApi(
    getChannelCheck,
    { params: { id: machineId } },
    { refreshInterval: pollIntervalMs },
  );
  const { run, running, isBusy } = useAction({ after: shown });
  if (data === undefined) {
    return (
      <Unread
        skeleton="h-32 w-full"
        isLine
        title={t`Bean and exhaust temperature could not be loaded`}
        error={error}
        onRetry={() => void mutate()}
      />
    );
  }
  const { map, bean, exhaust, asks, read_at: readAt } = data;
  if (map === null || bean === null || exhaust === null) return null;
  const reach = reachOf(data);
  return (
    <section
      aria-label={t`Bean and exhaust temperature`}
      className={classes(
        'flex flex-col gap-2.5 rounded-md border px-3 py-2.5 text-sm',
        asks ? 'border-warning/40 bg-warning-soft' : 'border-stroke bg-sunken',
      )}
    >
      {asks && (
        <p className="text-pretty text-strong">
          {doubtOf(data)} {t`Compare them with the display of the machine.`}
        </p>
      )}
      <dl className="grid grid-cols-[1fr_auto_auto] items-baseline gap-x-4 gap-y-1">
        <Place label={t`Bean temperature`} at={bean.at} value={bean.value} />
        <Place label={t`Exhaust temperature`} at={exhaust.at} value={exhaust.value} />
      </dl>
      <p className="text-pretty text-muted">
        {readAt === null
          ? t`No present readings with this map.`
          : t`Read ${<RelativeTime key="at" moment={readAt} />}.`}{' '}
        {reach}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<ArrowLeftRight aria-hidden />}
          busy={running === 'exchange'}
          disabled={isBusy}
          onClick={() => void run(() => exchange(machineId, map), exchangeFailed, 'exchange')}
        >
          {t`Exchange the two`}
        </Button>
        {asks && (
          <Button
            icon={<Check aria-hidden />}
            busy={running === 'confirm'}
            disabled={isBusy}
            onClick={() =>
              void run(() => confirm(machineId, map), t`Failed to confirm bean and exhaust temperature`, 'confirm')
            }
          >
            {t`They are right`}
          </Button>
        )}
      </div>
    </section>
  );
};

const Place = ({ label, at, value }: { label: string; at: string; value: number | null }) => (
  <>
    <dt className="min-w-0 truncate text-content">{label}</dt>
    <dd className="font-mono text-xs text-muted">{at}</dd>
    <dd className="min-w-18 text-right text-base">
      <Measure quantity="temperature" value={value} />
    </dd>
  </>
);
