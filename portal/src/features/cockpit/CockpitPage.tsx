import { betweenBatches } from '@roastery/contract/between-batches';
import { getMachine, type Machine } from '@roastery/contract/machines';
import { lacksMap } from '@roastery/contract/mqtt';
import type { Roast } from '@roastery/contract/roasts';
import { CloudOff, Pencil } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { refresh, useApi } from '../../api/use-api.ts';
import { useLive, type LiveMachine } from '../../api/use-live.ts';
import { AlarmBanner } from '../../components/alarms/AlarmBanner.tsx';
import { ErrorState } from '../../components/ErrorState.tsx';
import { paths } from '../../components/paths.ts';
import { silenceText } from '../../components/live/silence-text.ts';
import { useDates } from '../../format/preferences.ts';
import { markNow } from '../../components/live/live-curve.ts';
import { marksOfThisBatch } from '../../components/live/use-live-roast.ts';
import { RoasterPicker } from '../../components/people/RoasterPicker.tsx';
import { mayManage, mayRoast } from '../../components/people/roles.ts';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { BetweenBatches } from './BetweenBatches.tsx';
import { CockpitHeader } from './CockpitHeader.tsx';
import { withPending } from './hand-marks.ts';
import { MarkButtons } from './MarkButtons.tsx';
import { NoticeBar } from './NoticeBar.tsx';
import { usePendingMarks } from './pending-marks.ts';
import { RoastingView } from './RoastingView.tsx';
import { useMarking } from './use-marking.ts';
import { WeighSheet } from './WeighSheet.tsx';

/** /machines/{id}/live: one machine at work, on the whole screen. */
export default function CockpitPage() {
  const { id = '' } = useParams();
  const { data: machine, error, mutate } = useApi(getMachine, { params: { id } });
  const isGone = error?.code === 'not_found';
  if (machine !== undefined && !isGone) return <Cockpit key={machine.id} machine={machine} />;
  if (error !== undefined)
    return <ErrorState title={t`The machine could not be loaded`} error={error} onRetry={() => void mutate()} />;
  return <output className="flex h-full items-center justify-center text-base text-muted">{t`Loading`}</output>;
}

const Cockpit = ({ machine }: { machine: Machine }) => {
  const isRoaster = mayRoast(machine.role);
  const live = useLive(machine.id);
  useFreshSilence(machine, live);
  const [roast, setRoast] = useNewestRoast(live);
  const running = roast?.status === 'in_progress' ? roast : null;
  const pending = usePendingMarks(machine.id, running, setRoast);
  const marks = useMemo(
    () => (running === null ? [] : withPending(marksOfThisBatch(running), pending.marks)),
    [running, pending.marks],
  );
  const newestMono = live.track.mono.at(-1);
  // Until the stream has this roast, its charge is unknown here.
  const isSynced = running !== null && live.roast?.id === running.id;
  const elapsedSeconds =
    !isSynced || live.chargeMono === null || newestMono === undefined ? null : (newestMono - live.chargeMono) / 1000;
  const marking = useMarking({
    machineId: machine.id,
    roast: running,
    marks,
    now: markNow(live, elapsedSeconds),
    pending,
    onChanged: setRoast,
  });
  const isRunning = running !== null;
  const [isCorrecting, setCorrecting] = useState(false);
  // The sheet opens automatically after a drop while this page is open.
  const [weighed, setWeighed] = useState<string | null>(null);
  const [runningId, setRunningId] = useState<string | null>(null);
  if ((running?.id ?? null) !== runningId) {
    setRunningId(running?.id ?? null);
    const isDropped = running === null && roast?.id === runningId && roast.status === 'completed';
    setWeighed(isDropped && roast.end_weight_kg === null ? roast.id : null);
  }
  const sheetId = isRoaster && !isRunning ? weighed : null;
  // Also when it was weighed on another device.
  const isWeighed = roast !== null && roast.end_weight_kg !== null;
  const state = `${isRunning} ${isWeighed}`;
  const known = useRef(state);
  useEffect(() => {
    if (known.current !== state) void refresh(betweenBatches);
    known.current = state;
  }, [state]);
  return (
    <div data-testid="cockpit" className="flex h-full flex-col overflow-hidden bg-page">
      <title>{t`${machine.display_name} · live`}</title>
      <CockpitHeader machine={machine} live={live} roast={running}>
        {isRoaster && (
          <RoasterPicker machineId={machine.id} roastedBy={running?.roasted_by ?? null} hasRow={isRunning} />
        )}
        {isRoaster && running !== null && (
          <IconButton
            size="lg"
            label={t`Correct markers`}
            aria-pressed={isCorrecting}
            icon={<Pencil aria-hidden />}
            onClick={() => setCorrecting((current) => !current)}
          />
        )}
      </CockpitHeader>
      {(live.state === 'stale' || live.state === 'connecting') && <SilenceBar machine={machine} />}
      <AlarmBanner live={live} mayRoast={isRoaster} />
      <output className="sr-only m-0!">
        {sheetId !== null && t`Enter the roasted weight in the form After the drop`}
      </output>
      <div className="relative flex min-h-0 flex-1 flex-col [@media(max-height:37rem)]:overflow-y-auto">
        {running !== null ? (
          <RoastingView
            key={running.id}
            roast={running}
            live={live}
            isCorrecting={isCorrecting}
            onCorrected={() => setCorrecting(false)}
            onChanged={setRoast}
          />
        ) : (
          <BetweenBatches
            machine={machine}
            live={live}
            onWeigh={isRoaster ? setWeighed : undefined}
            onKept={isRoaster ? setRoast : undefined}
          >
            {sheetId !== null && <WeighSheet key={sheetId} roastId={sheetId} onDone={() => setWeighed(null)} />}
          </BetweenBatches>
        )}
        {isRunning &&
          pending.others.map((name) => (
            <p
              key={name}
              className="flex items-start gap-2 border-t border-stroke bg-surface px-4 py-1.5 text-sm text-content"
            >
              <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning" />
              {t`Markers of ${name} wait on this device until they sign in here. Set them again to send them.`}
            </p>
          ))}
        <NoticeBar marking={marking} />
      </div>
      {isRoaster && (
        <MarkButtons marking={marking} marks={marks} isRunning={isRunning} canCharge={live.state === 'live'} />
      )}
    </div>
  );
};

/** Reads the machine again when its board says another thing about it: since when it is silent is on the server. */
const useFreshSilence = (machine: Machine, { status }: LiveMachine): void => {
  const isSilent = status?.machine_link === 'failing';
  const isOutdated =
    status !== null && (isSilent !== (machine.silent_since !== null) || lacksMap(status) !== machine.lacks_map);
  useEffect(() => {
    if (isOutdated) void refresh(getMachine);
  }, [isOutdated]);
};

/** The newest state of the machine's roast: from the live stream, or from the answer to a mark, whichever is newer. */
const useNewestRoast = (live: LiveMachine): [Roast | null, (roast: Roast | null) => void] => {
  const [answered, setAnswered] = useState<Roast | null>(null);
  const streamed = live.roast;
  if (answered === null || answered.id === live.deletedRoastId) return [streamed, setAnswered];
  if (streamed === null) return [answered, setAnswered];
  const isStreamNewer =
    streamed.id === answered.id
      ? streamed.revision >= answered.revision
      : Date.parse(streamed.start_time) > Date.parse(answered.start_time);
  return [isStreamNewer ? streamed : answered, setAnswered];
};

/** Why there are no readings, when the machine itself is the reason, and the way to its settings. */
const SilenceBar = ({ machine }: { machine: Machine }) => {
  const reason =
    silenceText(machine, useDates()) ?? (machine.lacks_map ? t`The board has no map of this machine` : null);
  if (reason === null) return null;
  return (
    <p
      data-testid="cockpit-silence"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-4 border-b border-warning/40 bg-warning-soft px-4 py-1 text-base font-medium text-warning"
    >
      <span className="figures">{reason}</span>
      {mayManage(machine.role) && (
        <Link
          to={paths.machineSettings(machine.id)}
          className="flex min-h-10 items-center rounded-sm underline hover:no-underline"
        >
          {machine.lacks_map ? t`Choose a map` : t`Check settings`}
        </Link>
      )}
    </p>
  );
};
