import { zodResolver } from '@hookform/resolvers/zod';
import { listDevices } from '@roastery/contract/fleet';
import { mapIdShape } from '@roastery/contract/machine-map';
import {
  boardLogLevels,
  boardSettingsShape,
  getBoardConfig,
  getMachineMap,
  setBoardConfig,
  type BoardConfig,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { parseShape } from '@roastery/contract/parse-shape';
import { ExternalLink, ScanSearch } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NumberField } from '../number-fields.tsx';
import { toast } from '../../ui/toast.ts';
import { FormField, ModalForm } from '../form/RecordForm.tsx';
import { keysOf } from '../form/three-way.ts';
import { useRecordForm } from '../form/use-record-form.ts';
import { paths } from '../paths.ts';
import { AddressFields, numberOrNull, textOrNull } from './AddressFields.tsx';
import { ChannelCheckSection } from './ChannelCheckSection.tsx';
import { MachineMapField } from './MachineMapField.tsx';
import { PushState } from './map-labels.tsx';

/** Names between blanks or commas; empty: as set on the board. */
const typedServersShape = z.string().transform((text, context) => {
  const names = text.split(/[\s,;]+/).filter((name) => name !== '');
  const parsed = parseShape(boardSettingsShape.shape.time_servers, names.length === 0 ? null : names);
  if (parsed.success) return parsed.data;
  context.addIssue({ code: 'custom', message: parsed.issues[0]?.message ?? '' });
  return z.NEVER;
});
const formShape = boardSettingsShape.extend({ map_id: mapIdShape.nullable(), time_servers: typedServersShape });
const resolver = zodResolver<z.input<typeof formShape>, unknown, z.output<typeof formShape>>(formShape);

const levelLabels = { error: t`Errors only`, warn: t`Warnings`, info: t`Normal`, debug: t`Everything` } as const;
const levels = [
  { value: 'board', label: t`As set on the board` },
  ...boardLogLevels.map((value) => ({ value, label: levelLabels[value] })),
] as const;

const pages = [
  { value: 'as_set', label: t`As set on the board` },
  { value: 'off', label: t`Off` },
  { value: 'board', label: t`On the board only` },
  { value: 'network', label: t`On its whole network` },
] as const;

interface BoardConfigFormProps {
  machineId: string;
  config: BoardConfig;
  onClose: () => void;
}

const valuesOf = ({ map, settings }: BoardConfig): z.input<typeof formShape> => ({
  map_id: map?.id ?? null,
  ...settings,
  time_servers: settings.time_servers?.join(', ') ?? '',
});

const fieldLabels = {
  map_id: t`Machine map`,
  host: t`Address`,
  port: t`Port`,
  path: t`Serial adapter`,
  hz: t`Readings per second`,
  timeout_ms: t`Answer timeout`,
  gap_ms: t`Pause between requests`,
  status_page: t`Status page of the board`,
  log_level: t`Log`,
  time_servers: t`Time servers`,
} as const;

/** How fast the board reads; empty: as its map says. */
const speeds = [
  { name: 'hz', unit: 'Hz', ofMap: ({ hz }: MapDetail['map']) => hz },
  { name: 'timeout_ms', unit: 'ms', ofMap: ({ timeoutMs }: MapDetail['map']) => timeoutMs },
  { name: 'gap_ms', unit: 'ms', ofMap: ({ gapMs }: MapDetail['map']) => gapMs },
] as const;

/** Of the addresses only that of the chosen map's link is stored. */
const useBoardForm = ({ machineId, config, onClose }: BoardConfigFormProps) => {
  const chosenLink = useRef<MapDetail['map']['link']>(undefined);
  const form = useRecordForm({
    values: valuesOf(config),
    edited: {
      noun: t`board configuration`,
      record: config,
      valuesOf,
      labels: fieldLabels,
      read: () => call(getBoardConfig, { params: { id: machineId } }),
    },
    resolver,
    fields: keysOf(fieldLabels),
    failure: (error) => sentenceFor(error, t`Failed to set map and settings`),
    save: (values, { revision }) => {
      const link = chosenLink.current;
      const unused = link !== undefined && 'path' in link ? { host: null, port: null } : { path: null };
      return call(setBoardConfig, { params: { id: machineId }, body: { ...values, revision, ...unused } });
    },
    saved: async () => {
      await refresh(getBoardConfig, listDevices, getMachineMap);
      toast(t`Sent to the board`, {
        detail: t`The board applies them between two roasts and reverts settings that cut its connection.`,
      });
      onClose();
    },
  });
  const mapId = useWatch({ control: form.hookForm.control, name: 'map_id' });
  const { data: chosen } = useApi(getMachineMap, mapId === null ? null : { params: { id: mapId } });
  useEffect(() => {
    chosenLink.current = chosen?.map.link;
  });
  return { form, mapId, map: chosen?.map };
};

export const BoardConfigForm = (props: BoardConfigFormProps) => {
  const { machineId, config } = props;
  const { form, mapId, map } = useBoardForm(props);
  const { field } = form;
  return (
    <ModalForm of={form} submit={t`Send to the board`} submitting={t`Sending…`} size="md">
      <InUse config={config} />
      <ChannelCheckSection machineId={machineId} />
      <FormField of={form} name="map_id">
        {(chosen) => (
          <MachineMapField
            {...chosen}
            hint={t`Without a map here, the board uses its own file.`}
            probe={
              <ButtonLink to={paths.probeMachine(machineId)} icon={<ScanSearch aria-hidden />}>
                {t`Read its registers`}
              </ButtonLink>
            }
          />
        )}
      </FormField>
      {map !== undefined && (
        <AddressFields
          link={map.link}
          host={field('host', { setValueAs: textOrNull })}
          port={field('port', { setValueAs: numberOrNull })}
          path={field('path', { setValueAs: textOrNull })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {speeds.map(({ name, unit, ofMap }) => (
          <NumberField
            key={name}
            label={fieldLabels[name]}
            unit={unit}
            placeholder={map === undefined ? t`from the map` : String(ofMap(map))}
            hint={t`Leave empty to use the map’s value.`}
            {...field(name, { setValueAs: numberOrNull })}
          />
        ))}
        <FormField of={form} name="status_page">
          {({ value, onChange, ...page }) => (
            <Select
              label={fieldLabels.status_page}
              choices={pages}
              value={value ?? 'as_set'}
              onChange={(next) => onChange(next === 'as_set' ? null : next)}
              {...page}
            />
          )}
        </FormField>
        <FormField of={form} name="log_level">
          {({ value, onChange, ...level }) => (
            <Select
              label={fieldLabels.log_level}
              choices={levels}
              value={value ?? 'board'}
              onChange={(next) => onChange(next === 'board' ? null : next)}
              {...level}
            />
          )}
        </FormField>
        <TextField
          label={fieldLabels.time_servers}
          mono
          autoComplete="off"
          spellCheck={false}
          placeholder={t`As set on the board`}
          hint={t`Up to four names or addresses. If none answers, the board reverts to its previous ones.`}
          className="sm:col-span-2"
          {...field('time_servers')}
        />
      </div>
      {mapId !== null && (
        <ButtonLink
          kind="quiet"
          to={paths.machineMap(mapId)}
          icon={<ExternalLink aria-hidden />}
          className="self-start"
        >
          {t`Open the map`}
        </ButtonLink>
      )}
    </ModalForm>
  );
};

/** What the board runs with now. */
const InUse = ({ config }: { config: BoardConfig }) => {
  const hasComeBack = config.state === 'reverted';
  return (
    <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 rounded-md border border-stroke bg-sunken px-3 py-2.5 text-sm">
      <dt className="text-muted">{t`Board`}</dt>
      <dd className="flex min-w-0 justify-end">
        <PushState config={hasComeBack ? { ...config, reason: null } : config} />
      </dd>
      {hasComeBack && config.reason !== null && (
        <dd className="col-span-2 text-pretty text-danger">
          {t`The previous settings are in use again: ${config.reason}.`}
        </dd>
      )}
      <dt className="text-muted">{t`Map in use`}</dt>
      <dd className="truncate text-right font-mono text-xs text-strong">
        {config.running_map === null ? '--' : `${config.running_map.id} · rev ${config.running_map.rev}`}
      </dd>
    </dl>
  );
};
