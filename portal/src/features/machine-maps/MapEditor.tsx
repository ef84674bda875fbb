import type { MachineMapInput } from '@roastery/contract/machine-map';
import {
  getBoardConfig,
  getMachineMap,
  listMachineMaps,
  listMapRevisions,
  saveMachineMap,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FormActions, FormFrame } from '../../components/form/RecordForm.tsx';
import { EditConflict } from '../../components/form/EditConflict.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { offerUndo, useRemoval } from '../../components/form/use-removal.ts';
import { useAction } from '../../components/use-action.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { ChannelRow } from './ChannelRow.tsx';
import { eventNames } from './event-draft.ts';
import { EventRow } from './EventRow.tsx';
import { LinkFields } from './LinkFields.tsx';
import { draftOf, emptyChannel, mapOfDraft, orders } from './map-draft.ts';
import { mergeDrafts } from './map-merge.ts';
import { emptyOutput } from './output-draft.ts';
import { OutputRow } from './OutputRow.tsx';
import { rowsWith, useMapDraft, type Editing, type MapDraftChanges } from './use-map-draft.ts';

const orderChoices = orders.map((value) => ({ value, label: value }));
const verifications = [
  { value: 'none', label: t`Not verified on real hardware` },
  { value: 'hardware', label: t`Verified on real hardware` },
] as const;

const chargings = [
  { value: 'hot', label: t`Hot: into a preheated machine` },
  { value: 'cold', label: t`Cold: beans in, then heat` },
] as const;

interface MapConflictProps {
  editing: Editing;
  newest: MapDetail;
  onContinue: MapDraftChanges['continueFrom'];
}

const MapConflict = ({ editing: { base, draft: own }, newest, onContinue }: MapConflictProps) => {
  const { draft, theirs, clashes } = mergeDrafts(draftOf(base.map), draftOf(newest.map), own);
  return (
    <EditConflict
      thing="map"
      theirs={theirs}
      clashes={clashes}
      onMerge={() => onContinue(newest, draft)}
      onDiscard={() => {
        onContinue(newest, null);
        offerUndo(t`Your changes were discarded`, () => onContinue(base, own));
      }}
    />
  );
};

const shown = [getMachineMap, listMachineMaps, listMapRevisions, getBoardConfig];

/** Sends the draft; refused fields and failures are shown in the form, the changes of another person as a conflict. */
const useSaving = (detail: MapDetail, { editing, refuse, continueFrom, latest }: ReturnType<typeof useMapDraft>) => {
  const { run, isBusy, failure, setFailure } = useAction({ beside: true, after: shown });
  const send = async (map: MachineMapInput, note: string): Promise<void> => {
    const saved = await call(saveMachineMap, {
      params: { id: detail.id },
      body: { map, rev: editing.base.rev, ...(note === '' ? {} : { note }) },
    });
    const typed = latest();
    const stored = draftOf(saved.map);
    // Input while it was being saved stays unsaved.
    continueFrom(saved, typed === editing.draft ? null : mergeDrafts(stored, stored, typed).draft);
    const boards = saved.machines.length;
    const sent = boards === 1 ? t`Sent to the board that uses it.` : t`Sent to ${boards} boards that use it.`;
    toast(t`Saved as revision ${saved.rev}`, boards === 0 ? {} : { detail: sent });
  };
  const save = (note: string, onSaved: () => void): void => {
    const result = mapOfDraft(editing.draft, editing.base.map);
    if ('problems' in result) {
      refuse(result.problems);
      const fields = Object.keys(result.problems).length;
      const count = fields === 1 ? t`One field has an error` : t`${fields} fields have errors`;
      return setFailure(result.problems['channels'] ?? `${count}.`);
    }
    void run(
      async () => {
        await send(result.map, note);
        onSaved();
      },
      // The notice shows the other person's changes.
      (error) =>
        error instanceof ApiError && error.code === 'changed_meanwhile'
          ? ''
          : sentenceWithFields(error, t`Failed to save the map`),
    );
  };
  return { save, isBusy, failure, setFailure };
};

/**
 * Edits an own map. Each save makes the next revision, which is sent to the boards that use the map. `detail` is the newest
 * revision; the form keeps the one it began with.
 */
export const MapEditor = ({ detail }: { detail: MapDetail }) => {
  const map = useMapDraft(detail);
  const { editing, isBehind, continueFrom } = map;
  const { isDirty } = editing;
  const { save, isBusy, failure, setFailure } = useSaving(detail, map);
  const [note, setNote] = useState('');
  const submit = () => save(note.trim(), () => setNote(''));
  return (
    <FormFrame of={{ submit, isDirty }} className="flex flex-col gap-5">
      <MachinePanel map={map} />
      <LinkPanel map={map} />
      <ChannelsPanel map={map} />
      <OutputsPanel map={map} />
      <EventsPanel map={map} />
      <FormActions>
        {isBehind && isDirty && (
          <MapConflict
            editing={editing}
            newest={detail}
            onContinue={(from, own) => {
              continueFrom(from, own);
              setFailure(null);
            }}
          />
        )}
        <FormError text={failure} />
        <div className="flex flex-wrap items-end justify-end gap-3">
          <TextField
            label={t`What changed`}
            className="min-w-0 flex-1 sm:max-w-sm"
            placeholder={t`Shown in the list of revisions`}
            maxLength={200}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <Button type="submit" kind="primary" size="md" busy={isBusy} disabled={!isDirty}>
            {isBusy ? t`Saving…` : t`Save as revision ${editing.base.rev + 1}`}
          </Button>
        </div>
      </FormActions>
    </FormFrame>
  );
};

interface PanelProps {
  map: MapDraftChanges;
}

const MachinePanel = ({ map: { editing, change, text } }: PanelProps) => (
  <Panel title={t`Machine`}>
    <div className="grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
      <TextField label={t`Maker`} required {...text('maker')} />
      <TextField label={t`Model`} required {...text('model')} />
      <Select
        label={t`Verified`}
        choices={verifications}
        value={editing.draft.verified === 'hardware' ? 'hardware' : 'none'}
        onChange={(verified) => change({ verified })}
        hint={t`Only after you have compared the readings with the machine’s display.`}
      />
      <Select
        label={t`Charging`}
        choices={chargings}
        value={editing.draft.charging}
        onChange={(charging) => change({ charging })}
        hint={t`Used to detect the charge. Cold: fluid-bed and sample roasters.`}
      />
      <TextField label={t`Notes`} className="sm:col-span-2" {...text('notes')} />
    </div>
  </Panel>
);

const LinkPanel = ({ map: { editing, change, text } }: PanelProps) => (
  <Panel title={t`Link`}>
    <div className="grid gap-4 p-4 sm:grid-cols-3 lg:grid-cols-6">
      <LinkFields link={editing.draft.link} problems={editing.problems} onChange={(link) => change({ link })} />
      <TextField label={t`Unit`} inputMode="numeric" mono {...text('unit')} />
      <Select
        label={t`Order of 32-bit values`}
        choices={orderChoices}
        value={editing.draft.order}
        onChange={(order) => change({ order })}
      />
      <TextField label={t`Readings per second`} inputMode="decimal" mono {...text('hz')} />
      <TextField label={t`Response timeout (ms)`} inputMode="numeric" mono {...text('timeoutMs')} />
      <TextField label={t`Drum RPM at 100 %`} inputMode="decimal" mono {...text('maxDrumRpm')} />
    </div>
  </Panel>
);

const Add = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button icon={<Plus aria-hidden />} onClick={onClick}>
    {label}
  </Button>
);

const ChannelsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { channels } = editing.draft;
  const remove = useRemoval(channels, (rows) => change({ channels: rows }));
  return (
    <Panel
      title={t`Channels`}
      actions={
        <Add
          label={t`Add channel`}
          onClick={() => add((draft, key) => ({ channels: [...draft.channels, emptyChannel(key)] }))}
        />
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted">
        {t`Address: ${<code className="font-mono text-xs">h:6</code>} is holding register 6 (40007 in five digits), ${<code className="font-mono text-xs">i</code>} input, ${<code className="font-mono text-xs">c</code>} coil, ${<code className="font-mono text-xs">d</code>} discrete input; ${<code className="font-mono text-xs">2/h:6</code>} is unit 2, ${<code className="font-mono text-xs">h:6.3</code>} bit 3. Value = raw × scale + offset.`}
      </p>
      {channels.map((channel, row) => (
        <ChannelRow
          key={channel.key}
          row={row}
          channel={channel}
          problems={editing.problems}
          onChange={(part) => change({ channels: rowsWith(channels, channel.key, part) })}
          onDelete={() => remove(channel, t`Channel ${channel.name} was removed`)}
        />
      ))}
    </Panel>
  );
};

const OutputsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { outputs, channels } = editing.draft;
  const remove = useRemoval(outputs, (rows) => change({ outputs: rows }));
  return (
    <Panel
      title={t`Outputs`}
      actions={
        <Add
          label={t`Add output`}
          onClick={() => add((draft, key) => ({ outputs: [...draft.outputs, emptyOutput(key)] }))}
        />
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
        {t`Described and simulated only: the board writes nothing to the machine. Raw = (value − offset) ÷ scale.`}
      </p>
      {outputs.map((output, row) => (
        <OutputRow
          key={output.key}
          row={row}
          output={output}
          channels={channels.map(({ name }) => name.trim())}
          problems={editing.problems}
          onChange={(part) => change({ outputs: rowsWith(outputs, output.key, part) })}
          onDelete={() => remove(output, t`Output ${output.name} was removed`)}
        />
      ))}
    </Panel>
  );
};

const EventsPanel = ({ map: { editing, change, add } }: PanelProps) => {
  const { events } = editing.draft;
  const remove = useRemoval(events, (rows) => change({ events: rows }));
  const free = eventNames.find((name) => events.every((event) => event.name !== name));
  return (
    <Panel
      title={t`Events`}
      actions={
        free !== undefined && (
          <Add
            label={t`Add event`}
            onClick={() => add((draft, key) => ({ events: [...draft.events, { key, name: free, when: '', on: '' }] }))}
          />
        )
      }
    >
      <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
        {t`The signal is a bit that the machine raises, e.g. ${<code className="font-mono text-xs">d:284</code>} or ${<code className="font-mono text-xs">h:7.3</code>}; the mark is taken from it. Writes are described only.`}
      </p>
      {events.map((event, row) => (
        <EventRow
          key={event.key}
          row={row}
          event={event}
          taken={events.map(({ name }) => name)}
          problems={editing.problems}
          onChange={(part) => change({ events: rowsWith(events, event.key, part) })}
          onDelete={() => remove(event, t`Event ${event.name} was removed`)}
        />
      ))}
    </Panel>
  );
};
