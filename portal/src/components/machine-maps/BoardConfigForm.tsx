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

export const BoardConfigForm = ({ machineId, config, onClose }: BoardConfigFormProps) => {
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
    fields: [
      'map_id',
      'host',
      'port',
      'path',
      'hz',
      'timeout_ms',
      'gap_ms',
      'status_page',
      'log_level',
      'time_servers',
    ],
    failure: (error) => sentenceFor(error, t`Failed to set map and settings`),
    save: (values, { revision }) =>
      call(setBoardConfig, {
        params: { id: machineId },
        // Only the address that the link of the chosen map uses is stored.
        body: {
          ...values,
          revision,
          ...(link !== undefined && 'path' in link ? { host: null, port: null } : { path: null }),
        },
      }),
    saved: async () => {
      await refresh(getBoardConfig, listDevices, getMachineMap);
      toast(t`Sent to the board`, {
        detail: t`The board applies them between two roasts and reverts settings that cut its connection.`,
      });
      onClose();
    },
  });
  const { field } = form;
  const hasComeBack = config.state === 'reverted';
  const mapId = useWatch({ control: form.hookForm.control, name: 'map_id' });
  const { data: chosen } = useApi(getMachineMap, mapId === null ? null : { params: { id: mapId } });
  const link: MapDetail['map']['link'] | undefined = chosen?.map.link;

  return (
    <ModalForm of={form} submit={t`Send to the board`} submitting={t`Sending…`} size="md">
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
      <ChannelCheckSection machineId={machineId} />
      <FormField of={form} name="map_id">
        {(props) => (
          <MachineMapField
            {...props}
            hint={t`Without a map here, the board uses its own file.`}
            probe={
              <ButtonLink to={paths.probeMachine(machineId)} icon={<ScanSearch aria-hidden />}>
                {t`Read its registers`}
              </ButtonLink>
            }
          />
        )}
      </FormField>
      {link !== undefined && (
        <AddressFields
          link={link}
          host={field('host', { setValueAs: textOrNull })}
          port={field('port', { setValueAs: numberOrNull })}
          path={field('path', { setValueAs: textOrNull })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t`Readings per second`}
          unit="Hz"
          placeholder={chosen === undefined ? t`from the map` : String(chosen.map.hz)}
          hint={t`Leave empty to use the map’s value.`}
          {...field('hz', { setValueAs: numberOrNull })}
        />
        <NumberField
          label={t`Answer timeout`}
          unit="ms"
          placeholder={chosen === undefined ? t`from the map` : String(chosen.map.timeoutMs)}
          hint={t`Leave empty to use the map’s value.`}
          {...field('timeout_ms', { setValueAs: numberOrNull })}
        />
        <NumberField
          label={t`Pause between requests`}
          unit="ms"
          placeholder={chosen === undefined ? t`from the map` : String(chosen.map.gapMs)}
          hint={t`Leave empty to use the map’s value.`}
          {...field('gap_ms', { setValueAs: numberOrNull })}
        />
        <FormField of={form} name="status_page">
          {({ value, onChange, ...props }) => (
            <Select
              label={t`Status page of the board`}
              choices={pages}
              value={value ?? 'as_set'}
              onChange={(page) => onChange(page === 'as_set' ? null : page)}
              {...props}
            />
          )}
        </FormField>
        <FormField of={form} name="log_level">
          {({ value, onChange, ...props }) => (
            <Select
              label={t`Log`}
              choices={levels}
              value={value ?? 'board'}
              onChange={(level) => onChange(level === 'board' ? null : level)}
              {...props}
            />
          )}
        </FormField>
        <TextField
          label={t`Time servers`}
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
