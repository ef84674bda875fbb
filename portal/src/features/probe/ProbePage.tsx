import {
  placeKey,
  rankBits,
  rankTemperatures,
  type BitCandidate,
  type Candidate,
  type Decoding,
  type RegisterSeries,
} from '@roastery/contract/decodings';
import type { Link, MachineMap } from '@roastery/contract/machine-map';
import { getMachine, type Machine } from '@roastery/contract/machines';
import { getBoardConfig, getMachineMap, type BoardConfig, type MapDetail } from '@roastery/contract/machine-maps';
import type { PickedPlace, PickedSignal } from '@roastery/contract/map-draft';
import { ScanSearch } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { isMissing, MissingMachine } from '../../components/MissingPage.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card, Panel, Skeleton } from '../../ui/Card.tsx';
import { Switch } from '../../ui/Checkbox.tsx';
import { NumberField } from '../../components/number-fields.tsx';
import { speedText } from '../../components/machine-maps/map-labels.tsx';
import { MachineLinkFields } from './MachineLinkFields.tsx';
import { BitRows, RegisterRows, type ChannelChoice, type SignalChoice } from './RegisterRows.tsx';
import { ReadForm } from './ReadForm.tsx';
import { NewMapPanel } from './NewMapPanel.tsx';
import { useProbe, type Probe } from './use-probe.ts';

const rowsAtOnce = 12;
const pollIntervalMs = 2000;

/** Registers that can't be a temperature, as plain numbers. */
const plainRows = (places: readonly RegisterSeries[], candidates: readonly Candidate[]): Candidate[] => {
  const known = new Set(candidates.map(({ place }) => placeKey(place)));
  return places
    .filter((place) => place.table !== 'coil' && place.table !== 'discrete' && !known.has(placeKey(place)))
    .map((place) => ({
      place,
      readings: [{ decoding: { as: 'u16', order: 'ABCD', scale: 1, unit: '°C' }, values: place.words, score: 0 }],
    }));
};

const likely = 0.4;
const group = ({ readings: [best] }: Candidate): number => (best.score >= likely ? 0 : 1);

/** Likely registers first, each group by address: rows must not move while they are picked. */
const steadyOrder = (candidates: readonly Candidate[], places: readonly RegisterSeries[]): Candidate[] => {
  const order = new Map(places.map((place, index) => [placeKey(place), index]));
  const at = ({ place }: Candidate): number => order.get(placeKey(place)) ?? 0;
  return candidates.toSorted((a, b) => group(a) - group(b) || at(a) - at(b));
};

/** The map on the line that was found. A unit that answers is kept; the machine's own address is not part of the map. */
const onLine = (map: MachineMap, line: Probe['line']): MachineMap => {
  if (line === null) return map;
  const unit = line.units.includes(map.unit) ? map.unit : (line.units[0] ?? map.unit);
  if (!('path' in map.link) || !('path' in line.link)) return { ...map, unit };
  const { baud, parity, dataBits } = line.link;
  return { ...map, unit, link: { ...map.link, baud, parity, dataBits } };
};

const foundText = ({ link, units }: NonNullable<Probe['line']>): string => {
  const which = units.join(', ');
  if (!('path' in link)) return units.length === 1 ? t`Unit ${which} answers.` : t`Units ${which} answer.`;
  return units.length === 1
    ? t`Unit ${which} answers at ${speedText(link)}.`
    : t`Units ${which} answer at ${speedText(link)}.`;
};

/** The board reads with the map in use: at another speed nothing answers before the new line is saved. */
const saveFirst = t`Save these line settings below before you read registers.`;

const notRecording = t`Recording is paused. Every ten seconds the board tries its own map, and continues recording as soon as the machine answers.`;

const stateLabels = ({ phase, progress, line, says, places }: Probe, isNewLine: boolean): string => {
  if (phase === 'finding')
    return progress?.k === 'trying'
      ? t`${progress.asked} of at most ${progress.of} tried: ${progress.where}. ${notRecording}`
      : t`Waiting for the board… ${notRecording}`;
  if (phase === 'ended') {
    const ending = says ?? (line === null ? t`Finished.` : foundText(line));
    return isNewLine && places.length === 0 ? `${ending} ${saveFirst}` : ending;
  }
  if (phase === 'watching')
    return t`Watching ${places.length} registers. Warm a probe with your hand: which number rises?`;
  if (phase === 'looking' && progress?.k === 'progress')
    return t`${progress.asked} of ${progress.of} read, ${progress.found} answered`;
  return phase === 'looking' ? t`Waiting for the board…` : t`The board only reads; nothing is written to the machine.`;
};

/** What was picked for the new map: each register is one channel, and each channel one register. */
const usePicks = () => {
  const [picks, setPicks] = useState<readonly PickedPlace[]>([]);
  const [signals, setSignals] = useState<readonly PickedSignal[]>([]);
  return {
    picks,
    signals,
    pick: (channel: ChannelChoice, { place }: Candidate, decoding: Decoding) =>
      setPicks((before) => {
        const others = before.filter((one) => one.channel !== channel && placeKey(one.place) !== placeKey(place));
        return channel === 'none' ? others : [...others, { channel, place: addressOf(place), decoding }];
      }),
    pickSignal: (event: SignalChoice, { place }: BitCandidate) =>
      setSignals((before) => {
        const others = before.filter((one) => one.event !== event && placeKey(one.place) !== placeKey(place));
        return event === 'none' ? others : [...others, { event, place: addressOf(place) }];
      }),
    clear: () => {
      setPicks([]);
      setSignals([]);
    },
  };
};

const addressOf = ({ unit, table, address }: RegisterSeries) => ({ unit, table, address });

/** /machines/{id}/probe: finds the registers of a machine through its board. */
export default function ProbePage() {
  const { id = '' } = useParams();
  const machine = useApi(getMachine, { params: { id } });
  const config = useApi(getBoardConfig, { params: { id } }, { refreshInterval: pollIntervalMs });
  const chosen = config.data?.map ?? null;
  const map = useApi(getMachineMap, chosen === null ? null : { params: { id: chosen.id } });
  const reading = useProbe(id);
  const crumbs = [{ label: t`Machines`, to: paths.machines }, { label: t`Find registers` }];
  if (isMissing(machine.error)) return <MissingMachine icon={<ScanSearch aria-hidden />} />;
  const failed = machine.error ?? config.error;
  /** The form is shown once the map is loaded, since its unit is the default; it then stays through later loads. */
  const isMapKnown =
    chosen === null || map.data !== undefined || map.error !== undefined || reading.probe.phase !== 'idle';
  return (
    <Page>
      <PageHeader title={t`Find Registers`} crumbs={crumbs} subtitle={machine.data?.display_name} />
      {failed !== undefined ? (
        <Card>
          <ErrorState
            title={t`The machine could not be loaded`}
            error={failed}
            onRetry={() => void Promise.all([machine.mutate(), config.mutate()])}
          />
        </Card>
      ) : config.data === undefined || !isMapKnown ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <Probing machineId={id} machine={machine.data} config={config.data} detail={map.data} reading={reading} />
      )}
    </Page>
  );
}

interface ProbingProps {
  machineId: string;
  /** Undefined until it is loaded. */
  machine: Machine | undefined;
  config: BoardConfig;
  /** The chosen map. */
  detail: MapDetail | undefined;
  reading: ReturnType<typeof useProbe>;
}

/** Choose what to read, pick from what answers, save it as a map. */
const Probing = ({ machineId, machine, config, detail, reading }: ProbingProps) => {
  const { probe, listening, start, find, stop } = reading;
  const { picks, signals, pick, pickSignal, clear } = usePicks();
  const [typedUnits, setTypedUnits] = useState<string | null>(null);
  const [typedLink, setTypedLink] = useState<Link | undefined>();
  const [rows, setRows] = useState(rowsAtOnce);
  const showMore = () => setRows(rows + rowsAtOnce * 2);
  const bits = useMemo(() => rankBits(probe.places), [probe.places]);
  const base = detail && onLine(detail.map, probe.line);
  const mapUnit = base?.unit ?? probe.line?.units[0] ?? 1;
  const isNewLine = base !== undefined && JSON.stringify(base.link) !== JSON.stringify(detail?.map.link);
  const lacksMap = machine?.lacks_map === true;
  const link = probe.line?.link ?? typedLink;
  /** Of the map that the picks go into: the chosen one, or the first one of a board without a map. */
  const mapLink = base?.link ?? (lacksMap ? link : undefined);
  const readLink = lacksMap ? typedLink : (config.link ?? undefined);
  return (
    <div className="flex flex-col gap-5">
      <Panel title={t`What to read`}>
        {lacksMap && <MachineLinkFields onLink={setTypedLink} />}
        <ReadForm
          units={typedUnits ?? probe.line?.units.slice(0, 4).join(', ') ?? String(mapUnit)}
          onUnits={setTypedUnits}
          isSerial={readLink !== undefined && 'path' in readLink}
          busy={probe.phase === 'finding' || probe.phase === 'looking' || probe.phase === 'watching'}
          ready={listening && (!lacksMap || link !== undefined)}
          onStart={(wish) => {
            setRows(rowsAtOnce);
            void start(wish, lacksMap && link !== undefined ? { link } : {});
          }}
          onFind={(unit) => {
            setTypedUnits(null);
            void find(unit, lacksMap && typedLink !== undefined ? { link: typedLink } : {});
          }}
          onStop={() => void stop()}
        />
        <output className="block border-t border-stroke px-4 py-3 text-sm text-content">
          {stateLabels(probe, isNewLine)}
        </output>
      </Panel>
      <RegistersPanel {...{ probe, rows, picks }} unit={mapUnit} onPick={pick} onMore={showMore} />
      {bits.length > 0 && (
        <Panel title={t`Coils and discrete inputs`}>
          <BitRows bits={bits.slice(0, rows)} unit={mapUnit} signals={signals} onPick={pickSignal} />
          {bits.length > rows && <ShowMore count={bits.length} onMore={showMore} />}
        </Panel>
      )}
      {config.map === null && !lacksMap && (
        <p className="rounded-md border border-stroke bg-sunken px-4 py-3 text-base text-content">
          {t`The board uses its own map file. To save what you find, choose a map for it under Map and settings on the machine’s card, with the machine’s address. Any map with the same link works.`}
        </p>
      )}
      {mapLink !== undefined && (
        <NewMapPanel
          {...{ machineId, config, detail, base, picks, signals }}
          machineName={machine?.display_name ?? ''}
          link={mapLink}
          unit={mapUnit}
          onSaved={clear}
        />
      )}
    </div>
  );
};

interface RegistersPanelProps {
  probe: Probe;
  rows: number;
  unit: number;
  picks: readonly PickedPlace[];
  onPick: ReturnType<typeof usePicks>['pick'];
  onMore: () => void;
}

/** The registers that answered: those that may be a temperature first, or those nearest to the machine's display. */
const RegistersPanel = ({ probe: { places }, rows, unit, picks, onPick, onMore }: RegistersPanelProps) => {
  const [shownText, setShownText] = useState('');
  const [onlyTemperatures, setOnlyTemperatures] = useState(true);
  const shown = shownText === '' ? Number.NaN : Number(shownText);
  const candidates = useMemo(() => {
    const ranked = Number.isFinite(shown)
      ? rankTemperatures(places, { shown })
      : steadyOrder(rankTemperatures(places), places);
    return onlyTemperatures ? ranked : [...ranked, ...plainRows(places, ranked)];
  }, [places, shown, onlyTemperatures]);
  return (
    <Panel title={t`Registers`}>
      <div className="flex flex-wrap items-end justify-between gap-4 border-b border-stroke p-4">
        <NumberField
          label={t`Temperature on the machine’s display`}
          hint={t`Lists the nearest readings first`}
          unit="°C"
          value={shownText}
          onChange={(event) => setShownText(event.target.value)}
          className="w-56"
        />
        <Switch label={t`Only likely temperatures`} checked={onlyTemperatures} onChange={setOnlyTemperatures} />
      </div>
      {candidates.length === 0 ? (
        <p className="px-4 py-10 text-center text-base text-muted">
          {places.length === 0
            ? t`No registers read yet.`
            : t`None of these registers looks like a temperature. Read others, or show all.`}
        </p>
      ) : (
        <RegisterRows candidates={candidates.slice(0, rows)} unit={unit} picks={picks} onPick={onPick} />
      )}
      {candidates.length > rows && <ShowMore count={candidates.length} onMore={onMore} />}
    </Panel>
  );
};

const ShowMore = ({ count, onMore }: { count: number; onMore: () => void }) => (
  <div className="border-t border-stroke p-3 text-center">
    <Button kind="quiet" onClick={onMore}>
      {t`Show more of ${count}`}
    </Button>
  </div>
);
