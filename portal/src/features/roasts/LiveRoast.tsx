import { getRoastCurveColumns, type Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { refresh } from '../../api/use-api.ts';
import { useLive, type LiveMachine } from '../../api/use-live.ts';
import { Measure } from '../../components/Measure.tsx';
import { Card } from '../../ui/Card.tsx';
import { classes } from '../../ui/classes.ts';
import { LiveDot } from '../../ui/LiveDot.tsx';
import { liveCurve } from './live-curve.ts';
import { MarkBar } from './MarkBar.tsx';
import { RoastCurves } from './RoastCurves.tsx';

/** Seconds of preheat shown left of the charge while a roast runs. */
const beforeSeconds = 60;
/** Room kept right of the newest reading, so that the curve grows into the picture instead of being squeezed. */
const roomSeconds = 60;
/** Shortest time axis of a live roast. */
const leastSeconds = 8 * 60;

interface LiveRoastProps {
  roast: Roast;
  machineId: string;
  onChanged: (roast: Roast) => void;
}

/** The running roast: clock, bean temperature and rate of rise readable from three metres, and the curve as it grows. */
export const LiveRoast = ({ roast, machineId, onChanged }: LiveRoastProps) => {
  const live = useLive(machineId);
  const [selected, setSelected] = useState<number | null>(null);
  const newer = live.roast?.id === roast.id && live.roast.revision !== roast.revision ? live.roast : null;
  useEffect(() => {
    if (!newer) return;
    // What was drawn live is read back from the record once the roast has ended.
    if (newer.status !== 'in_progress') void refresh(getRoastCurveColumns);
    onChanged(newer);
  }, [newer, onChanged]);

  const { track, chargeMono } = live;
  const curve = useMemo(
    () => (chargeMono === null || track.mono.length === 0 ? undefined : liveCurve(track, chargeMono, beforeSeconds)),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the track is one object that grows; its version says when
    [track, track.version, chargeMono],
  );
  const elapsed = curve?.time_seconds.at(-1) ?? null;
  return (
    <div className="flex flex-col gap-4">
      <LiveFigures live={live} elapsedSeconds={elapsed} rate={curve?.ror.at(-1) ?? null} />
      <RoastCurves
        curve={curve}
        marks={roast.marks}
        channels={Object.keys(track.channels)}
        selected={selected}
        onSelect={setSelected}
        endSeconds={Math.max(leastSeconds, (elapsed ?? 0) + roomSeconds)}
        actions={
          <MarkBar
            roast={roast}
            elapsedSeconds={elapsed}
            temp={live.reading?.values['bean_temp'] ?? null}
            onChanged={onChanged}
          />
        }
      />
    </div>
  );
};

interface LiveFiguresProps {
  live: LiveMachine;
  elapsedSeconds: number | null;
  rate: number | null;
}

const stateWords: Record<LiveMachine['state'], string> = {
  connecting: 'CONNECTING',
  live: 'ROASTING',
  stale: 'NO NEW READINGS',
  offline: 'OFFLINE',
};

/** Greys and says how old it is when readings stop: a number must never freeze as if it were alive. */
const LiveFigures = ({ live, elapsedSeconds, rate }: LiveFiguresProps) => {
  const fresh = live.state === 'live';
  const age = live.readingAgeSeconds;
  const values = live.reading?.values ?? {};
  return (
    <Card
      className="grid grid-cols-2 items-stretch gap-px overflow-hidden bg-stroke lg:grid-cols-[1.2fr_1.4fr_1.2fr_1fr]"
      data-testid="live-figures"
      data-state={live.state}
    >
      <div className="col-span-2 flex flex-col justify-between bg-surface p-4 lg:col-span-1">
        <p className="flex items-center gap-2 text-sm">
          <LiveDot tone={fresh ? 'accent' : live.state === 'stale' ? 'warning' : 'faint'} pulsing={fresh} />
          <output className="label-mono">{stateWords[live.state]}</output>
          {!fresh && age !== null && <span className="figures text-muted">{age} s ago</span>}
        </p>
        <p
          className={classes(
            'figures mt-1 text-6xl leading-none font-semibold tracking-tight',
            fresh ? 'text-strong' : 'text-muted',
          )}
          data-testid="live-clock"
        >
          {formatDuration(elapsedSeconds)}
        </p>
      </div>
      <BigFigure label="Bean Temp" token="curve-bean">
        <Measure
          quantity="temperature"
          value={values['bean_temp']}
          stale={!fresh}
          className="text-6xl leading-none font-semibold tracking-tight"
        />
      </BigFigure>
      <BigFigure label="Rate of Rise" token="curve-rate">
        <Measure
          quantity="rate"
          value={rate}
          stale={!fresh}
          className="text-4xl leading-none font-semibold tracking-tight"
        />
      </BigFigure>
      <dl className="col-span-2 grid grid-cols-4 content-center gap-x-4 gap-y-2 bg-surface p-4 text-sm lg:col-span-1 lg:grid-cols-2">
        <Small label="Exhaust">
          <Measure quantity="temperature" value={values['exhaust_temp']} stale={!fresh} />
        </Small>
        <Small label="Gas">
          <Measure quantity="percent" value={values['heat_power']} digits={0} stale={!fresh} />
        </Small>
        <Small label="Airflow">
          <Measure quantity="percent" value={values['fan_speed']} digits={0} stale={!fresh} />
        </Small>
        <Small label="Drum">
          <Measure quantity="percent" value={values['drum_speed']} digits={0} stale={!fresh} />
        </Small>
      </dl>
    </Card>
  );
};

const BigFigure = ({ label, token, children }: { label: string; token: string; children: ReactNode }) => (
  <div className="flex min-w-0 flex-col justify-between gap-2 bg-surface p-4">
    <p className="label-mono flex items-center gap-2">
      <span aria-hidden className="size-2 rounded-full" style={{ background: `var(--${token})` }} />
      {label}
    </p>
    {children}
  </div>
);

const Small = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="label-mono truncate">{label}</dt>
    <dd>{children}</dd>
  </div>
);
