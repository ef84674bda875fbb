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
} from '@roastery/contract/machine-maps';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import type { z } from 'zod';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { FormError, showFieldErrors } from '../forms.tsx';
import { paths } from '../paths.ts';
import { UnsavedChanges } from '../UnsavedChanges.tsx';
import { MachineMapField } from './MachineMapField.tsx';
import { PushState } from './PushState.tsx';

const formShape = boardSettingsShape.extend({ map_id: mapIdShape.nullable() });
type Values = z.infer<typeof formShape>;
const fields = ['map_id', 'host', 'port', 'path', 'hz', 'log_level'] as const;

const levelWords = { error: 'Errors only', warn: 'Warnings', info: 'Usual', debug: 'Everything' } as const;
const levels = [
  { value: 'board', label: 'As set on the board' },
  ...boardLogLevels.map((value) => ({ value, label: levelWords[value] })),
] as const;

/** An empty field is not set. */
const orNothing = (typed: string | null): string | null =>
  typed === null || typed.trim() === '' ? null : typed.trim();
const numberOrNothing = (typed: string | number | null): number | null =>
  typed === '' || typed === null ? null : Number(typed);

interface BoardConfigFormProps {
  machineId: string;
  config: BoardConfig;
  onClose: () => void;
}

export const BoardConfigForm = ({ machineId, config, onClose }: BoardConfigFormProps) => {
  const [failure, setFailure] = useState<string | null>(null);
  const { register, control, handleSubmit, setError, formState } = useForm<Values>({
    resolver: zodResolver(formShape),
    defaultValues: { map_id: config.map?.id ?? null, ...config.settings },
  });
  const { errors, isSubmitting, isDirty } = formState;
  const mapId = useWatch({ control, name: 'map_id' });
  const { data: chosen } = useApi(getMachineMap, mapId === null ? null : { params: { id: mapId } });
  const link = chosen?.map.link;

  const submit = handleSubmit(async (values) => {
    setFailure(null);
    try {
      const isSerial = link !== undefined && 'path' in link;
      await call(setBoardConfig, {
        params: { id: machineId },
        // An address that the chosen map has no use for is not kept.
        body: { ...values, ...(isSerial ? { host: null, port: null } : { path: null }) },
      });
      await refresh(getBoardConfig, listDevices, getMachineMap);
      toast('Sent to the board', { detail: 'It takes map and settings between two roasts.' });
      onClose();
    } catch (error) {
      showFieldErrors(error, fields, setError);
      setFailure(sentenceFor(error, 'Failed to set map and settings'));
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="contents">
      <UnsavedChanges dirty={isDirty} />
      <DialogBody>
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 rounded-md border border-stroke bg-sunken px-3 py-2.5 text-sm">
          <dt className="text-muted">The board</dt>
          <dd className="flex min-w-0 justify-end">
            <PushState config={config} />
          </dd>
          <dt className="text-muted">Reads by</dt>
          <dd className="truncate text-right font-mono text-xs text-strong">
            {config.running_map === null ? '--' : `${config.running_map.id} · rev ${config.running_map.rev}`}
          </dd>
        </dl>
        <Controller
          control={control}
          name="map_id"
          render={({ field }) => (
            <MachineMapField
              value={field.value}
              onChange={field.onChange}
              onBlur={field.onBlur}
              hint="None chosen: the board reads by its own file."
              error={errors.map_id?.message}
              ref={field.ref}
            />
          )}
        />
        {link !== undefined &&
          ('path' in link ? (
            <TextField
              label="Serial adapter"
              mono
              placeholder={link.path}
              hint={`${link.baud} baud, as the map has it. Empty: ${link.path}.`}
              error={errors.path?.message}
              {...register('path', { setValueAs: orNothing })}
            />
          ) : (
            <div className="grid grid-cols-[1fr_7rem] gap-4">
              <TextField
                label="Machine’s address"
                mono
                placeholder={link.host}
                hint="In your network."
                error={errors.host?.message}
                {...register('host', { setValueAs: orNothing })}
              />
              <NumberField
                label="Port"
                placeholder={String(link.port)}
                error={errors.port?.message}
                {...register('port', { setValueAs: numberOrNothing })}
              />
            </div>
          ))}
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField
            label="Readings per second"
            unit="Hz"
            placeholder={chosen === undefined ? 'as the map' : String(chosen.map.hz)}
            hint="Empty: as the map has it."
            error={errors.hz?.message}
            {...register('hz', { setValueAs: numberOrNothing })}
          />
          <Controller
            control={control}
            name="log_level"
            render={({ field }) => (
              <Select
                label="Log"
                choices={levels}
                value={field.value ?? 'board'}
                onChange={(level) => field.onChange(level === 'board' ? null : level)}
                onBlur={field.onBlur}
                error={errors.log_level?.message}
                ref={field.ref}
              />
            )}
          />
        </div>
        {mapId !== null && (
          <ButtonLink
            kind="quiet"
            to={paths.machineMap(mapId)}
            icon={<ExternalLink aria-hidden />}
            className="self-start"
          >
            Open the map
          </ButtonLink>
        )}
        <FormError text={failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel size="md" />
        <Button type="submit" kind="primary" size="md" busy={isSubmitting}>
          {isSubmitting ? 'Sending…' : 'Send to the board'}
        </Button>
      </DialogFooter>
    </form>
  );
};
