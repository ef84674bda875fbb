import type { Link as MachineLink, MachineMap, MachineMapInput } from '@roastery/contract/machine-map';
import {
  createMachineMap,
  getBoardConfig,
  getMachineMap,
  listMachineMaps,
  saveMachineMap,
  setBoardConfig,
  type BoardConfig,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import {
  channelChanges,
  draftMap,
  type ChannelChange,
  type PickedPlace,
  type PickedSignal,
} from '@roastery/contract/map-draft';
import { ArrowRight, Check } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { useLive } from '../../api/use-live.ts';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { mapName, PushState, speedText } from '../../components/machine-maps/map-labels.tsx';
import { Measure } from '../../components/figures.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { channelLabel } from './RegisterRows.tsx';

interface NewMapPanelProps {
  machineId: string;
  machineName: string;
  config: BoardConfig;
  /** The map that is edited; undefined while the board has none. */
  detail: MapDetail | undefined;
  /** The map on the line that was found; without a search the map in use. */
  base: MachineMap | undefined;
  /** The machine's address and its usual unit, for the first map of a board. */
  link: MachineLink;
  unit: number;
  picks: readonly PickedPlace[];
  signals: readonly PickedSignal[];
  onSaved: () => void;
}

type MapParts = Pick<NewMapPanelProps, 'machineName' | 'base' | 'link' | 'unit' | 'picks' | 'signals'>;

/** The map with the picked registers. A board's first map gets the machine's name. */
const newMap = ({ machineName, base, picks, signals, ...line }: MapParts): MachineMapInput => {
  // The address in the machine's configuration is not part of the map.
  const { link, unit } = base ?? line;
  const draft = draftMap({ base, link, unit, picks, signals });
  return base === undefined ? { ...draft, model: machineName.slice(0, 80) } : draft;
};

/** Saves a revision of the machine's own map, or creates one. The board applies it between two roasts. */
const save = async ({ machineId, config, detail, ...parts }: NewMapPanelProps): Promise<void> => {
  const map = newMap(parts);
  const note = t`From Find registers`;
  if (detail?.may_edit === true) {
    await call(saveMachineMap, { params: { id: detail.id }, body: { map, rev: detail.rev, note } });
    if (config.map?.id === detail.id) return;
  }
  const id =
    detail?.may_edit === true
      ? detail.id
      : (await call(createMachineMap, { body: { map, note, ...(detail && { based_on: detail.id }) } })).id;
  await call(setBoardConfig, {
    params: { id: machineId },
    body: { ...config.settings, map_id: id, revision: config.revision },
  });
};

const lineText = (link: MachineLink): string => ('path' in link ? speedText(link) : `${link.host}:${link.port}`);

const chooseSentence = (detail: NewMapPanelProps['detail']): string =>
  detail === undefined
    ? t`Choose the register of the bean temperature.`
    : t`Choose the register of the bean temperature. Changes are based on ${mapName(detail)}.`;

/** Changes of line and unit against the map in use. */
const lineChanges = (before: MachineMap, after: MachineMap): ChannelChange[] =>
  [
    { channel: t`Line`, before: lineText(before.link), after: lineText(after.link) },
    { channel: t`Unit`, before: String(before.unit), after: String(after.unit) },
  ].filter((change) => change.before !== change.after);

/** The picked registers compared with the map in use, and the button that saves them. */
export const NewMapPanel = (props: NewMapPanelProps) => {
  const { machineId, config, detail, base, picks, onSaved } = props;
  const { run, isBusy, failure } = useAction({ beside: true });
  const [saved, setSaved] = useState(false);
  const changes = [
    ...(detail && base ? lineChanges(detail.map, base) : []),
    ...channelChanges(detail?.map, newMap(props)),
  ];
  /** A map without a bean temperature is refused. */
  const hasBeans = detail !== undefined || picks.some(({ channel }) => channel === 'bean_temp');
  const submit = () =>
    run(
      async () => {
        await save(props);
        setSaved(true);
        onSaved();
        await refresh(getBoardConfig, getMachineMap, listMachineMaps);
      },
      (error) => sentenceWithFields(error, t`Failed to save the map`),
    );
  return (
    <Panel title={t`New map`} actions={saved ? <PushState config={config} /> : undefined}>
      <div className="flex flex-col gap-4 p-4">
        {changes.length === 0 ? (
          <p className="text-base text-muted">{saved ? t`The map is saved.` : chooseSentence(detail)}</p>
        ) : (
          <ul aria-label={t`Changes`} className="flex flex-col gap-2 text-sm">
            {changes.map(({ channel, before, after }) => (
              <li key={channel} className="grid gap-x-3 gap-y-0.5 sm:grid-cols-[8rem_minmax(0,1fr)]">
                <span className="font-medium text-strong">{channelLabel(channel)}</span>
                <span className="flex flex-wrap items-center gap-2 font-mono">
                  {before !== undefined && <span className="text-muted line-through">{before}</span>}
                  {before !== undefined && <ArrowRight aria-hidden className="size-3.5 text-muted" />}
                  <span className="text-strong">{after}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
        <FormError text={failure} />
        {saved && <Proof machineId={machineId} running={config.state === 'running'} />}
        <div className="flex flex-wrap items-center justify-between gap-3">
          {detail === undefined ? (
            <span className="text-sm text-muted">{hasBeans ? '' : t`The map needs a bean temperature.`}</span>
          ) : (
            <Link
              to={paths.machineMap(config.map?.id ?? detail.id)}
              className="text-sm text-accent-text hover:underline"
            >
              {mapName(detail)}
            </Link>
          )}
          <Button
            kind="primary"
            size="md"
            icon={<Check aria-hidden />}
            busy={isBusy}
            disabled={changes.length === 0 || !hasBeans}
            onClick={() => void submit()}
          >
            {t`Save and use this map`}
          </Button>
        </div>
      </div>
    </Panel>
  );
};

/** The live value with the new map, to compare with the machine's display. */
const Proof = ({ machineId, running }: { machineId: string; running: boolean }) => {
  const { reading, state } = useLive(machineId);
  const beans = reading?.values['bean_temp'] ?? null;
  return (
    <output className="flex flex-wrap items-baseline gap-2 rounded-md bg-sunken px-3 py-2.5 text-base text-content">
      {running ? (
        <>
          <span>{t`The board uses the new map. Bean temperature now:`}</span>
          <Measure quantity="temperature" value={beans} stale={state !== 'live'} className="text-lg font-semibold" />
        </>
      ) : (
        <span>{t`The board applies the map between two roasts.`}</span>
      )}
    </output>
  );
};
