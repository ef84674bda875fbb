import { dismissMapUpdate, showMapUpdate, type MapUpdate } from '@roastery/contract/channel-check';
import { listMachines, type Machine } from '@roastery/contract/machines';
import { Link } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { attempt } from '../../components/attempt.ts';
import { useAction } from '../../components/use-action.ts';
import { offerUndo } from '../../components/form/use-removal.ts';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { keepsEarlierMap, updateText } from './map-update-text.ts';

/** What happened to the map of a machine, or what its owner is asked about it. */
export const MapNotice = ({ machine, onMap }: { machine: Machine; onMap: () => void }) => {
  const { map_update: update, asks_channels: asks, channels_exchanged: roasts, display_name: name } = machine;
  if (update !== null) return <Updated machine={machine} update={update} onMap={onMap} />;
  // What the board has found is shown instead.
  if (!asks || roasts !== null) return null;
  return (
    <section aria-label={t`Map of ${name}`} className={classes(boxClass, 'bg-warning-soft')}>
      <p className="text-pretty text-strong">{t`Bean and exhaust temperature may be exchanged in the map of this machine.`}</p>
      <div className="flex flex-wrap gap-2">
        <Button
          aria-label={t`Compare bean and exhaust temperature of ${name}`}
          onClick={onMap}
        >{t`Compare them`}</Button>
      </div>
    </section>
  );
};

const shown = [listMachines];

const boxClass = 'flex flex-col gap-2 rounded-md px-3 py-2.5 text-sm';

const showAgain = (id: string) =>
  attempt(() => call(showMapUpdate, { params: { id } }), t`Failed to show the notice again`, shown);

interface UpdatedProps {
  machine: Machine;
  update: MapUpdate;
  onMap: () => void;
}

const Updated = ({ machine, update, onMap }: UpdatedProps) => {
  const { id, display_name: name } = machine;
  const dates = useDates();
  const { run, isBusy } = useAction({ after: shown });
  const isRefused = keepsEarlierMap(update);
  const dismiss = async (): Promise<void> => {
    await call(dismissMapUpdate, { params: { id } });
    offerUndo(t`The notice about the map of “${name}” is hidden`, () => void showAgain(id));
  };
  return (
    <section
      aria-label={t`Map of ${name}`}
      className={classes(boxClass, isRefused ? 'bg-danger-soft' : 'bg-info-soft')}
    >
      <p className="text-pretty text-strong">{updateText(name, update, dates.day(update.updated_at))}</p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          busy={isBusy}
          aria-label={t`Got it: map of ${name}`}
          onClick={() => void run(dismiss, t`Failed to hide the notice`)}
        >{t`Got it`}</Button>
        {isRefused && (
          <Button aria-label={t`Map and settings of ${name}`} onClick={onMap}>{t`Map and settings`}</Button>
        )}
        {update.exchanged && (
          <Link
            to={paths.timeline(id)}
            className="flex min-h-8 items-center rounded-sm text-content underline underline-offset-2 hover:text-strong pointer-coarse:min-h-10"
          >
            {t`Earlier recordings`}
          </Link>
        )}
      </div>
    </section>
  );
};
