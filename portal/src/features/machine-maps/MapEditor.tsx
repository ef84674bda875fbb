import {
  getBoardConfig,
  getMachineMap,
  listMachineMaps,
  listMapRevisions,
  saveMachineMap,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { FormActions } from '../../components/form/RecordForm.tsx';
import { EditConflict } from '../../components/form/EditConflict.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { offerUndo, useRemoval } from '../../components/form/use-removal.ts';
import { UnsavedChanges } from '../../components/form/UnsavedChanges.tsx';
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
import { draftOf, emptyChannel, mapOfDraft, orders, type DraftProblems, type MapDraft } from './map-draft.ts';
import { mergeDrafts } from './map-merge.ts';
import { emptyOutput } from './output-draft.ts';
import { OutputRow } from './OutputRow.tsx';

const orderChoices = orders.map((value) => ({ value, label: value }));
const verifications = [
  { value: 'none', label: t`Not verified on real hardware` },
  { value: 'hardware', label: t`Verified on real hardware` },
] as const;

const chargings = [
  { value: 'hot', label: t`Hot: into a preheated machine` },
  { value: 'cold', label: t`Cold: beans in, then heat` },
] as const;

const changed = <Row extends { key: number }>(rows: readonly Row[], key: number, part: Partial<Row>): Row[] =>
  rows.map((row) => (row.key === key ? { ...row, ...part } : row));

interface MapConflictProps {
  base: MapDetail;
  newest: MapDetail;
  own: MapDraft;
  onContinue: (from: MapDetail, own: MapDraft | null) => void;
}

const MapConflict = ({ base, newest, own, onContinue }: MapConflictProps) => {
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

/**
 * Edits an own map. Each save makes the next revision, which is sent to the boards that use the map. `detail` is the newest
 * revision; the form keeps the one it began with.
 */
export const MapEditor = ({ detail }: { detail: MapDetail }) => {
  const [base, setBase] = useState(detail);
  const [draft, setDraft] = useState<MapDraft>(() => draftOf(detail.map));
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  const [isDirty, setDirty] = useState(false);
  const [problems, setProblems] = useState<DraftProblems>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  /** Above the key of every row of the map. */
  const [nextKey, setNextKey] = useState(1000);
  const isBehind = detail.rev > base.rev;

  const continueFrom = (next: MapDetail, own: MapDraft | null) => {
    setBase(next);
    setDraft(own ?? draftOf(next.map));
    setDirty(own !== null);
    setProblems({});
    setFailure(null);
  };
  // A form without changes follows the newest revision.
  if (isBehind && !isDirty) continueFrom(detail, null);

  const change = (part: Partial<MapDraft>) => {
    setDraft({ ...draft, ...part });
    setDirty(true);
    setProblems({});
  };
  const add = (part: (key: number) => Partial<MapDraft>) => {
    change(part(nextKey));
    setNextKey(nextKey + 1);
  };
  const removeChannel = useRemoval(draft.channels, (channels) => change({ channels }));
  const removeOutput = useRemoval(draft.outputs, (outputs) => change({ outputs }));
  const removeEvent = useRemoval(draft.events, (events) => change({ events }));
  const freeEvent = eventNames.find((name) => draft.events.every((event) => event.name !== name));
  const text = (field: 'maker' | 'model' | 'notes' | 'unit' | 'hz' | 'timeoutMs' | 'maxDrumRpm') => ({
    value: draft[field],
    onChange: (event: { target: { value: string } }) => change({ [field]: event.target.value }),
    error: problems[field],
    autoComplete: 'off',
  });

  const save = async () => {
    setFailure(null);
    const result = mapOfDraft(draft, base.map);
    if ('problems' in result) {
      setProblems(result.problems);
      const rows = Object.keys(result.problems).length;
      setFailure(
        result.problems['channels'] ?? `${rows === 1 ? t`One field has an error` : t`${rows} fields have errors`}.`,
      );
      return;
    }
    setBusy(true);
    try {
      const saved = await call(saveMachineMap, {
        params: { id: detail.id },
        body: { map: result.map, rev: base.rev, ...(note.trim() === '' ? {} : { note: note.trim() }) },
      });
      const typed = latest.current;
      // Input while it was being saved stays unsaved.
      continueFrom(saved, typed === draft ? null : mergeDrafts(draftOf(saved.map), draftOf(saved.map), typed).draft);
      setNote('');
      const boards = saved.machines.length;
      const sent = boards === 1 ? t`Sent to the board that uses it.` : t`Sent to ${boards} boards that use it.`;
      toast(t`Saved as revision ${saved.rev}`, boards === 0 ? {} : { detail: sent });
      await refresh(getMachineMap, listMachineMaps, listMapRevisions, getBoardConfig);
    } catch (error) {
      // The notice shows the other person's changes.
      if (error instanceof ApiError && error.code === 'changed_meanwhile') await refresh(getMachineMap);
      else setFailure(sentenceWithFields(error, t`Failed to save the map`));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <UnsavedChanges dirty={isDirty} />
      <Panel title={t`Machine`}>
        <div className="grid gap-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
          <TextField label={t`Maker`} required {...text('maker')} />
          <TextField label={t`Model`} required {...text('model')} />
          <Select
            label={t`Verified`}
            choices={verifications}
            value={draft.verified === 'hardware' ? 'hardware' : 'none'}
            onChange={(verified) => change({ verified })}
            hint={t`Only after you have compared the readings with the machine’s display.`}
          />
          <Select
            label={t`Charging`}
            choices={chargings}
            value={draft.charging}
            onChange={(charging) => change({ charging })}
            hint={t`Used to detect the charge. Cold: fluid-bed and sample roasters.`}
          />
          <TextField label={t`Notes`} className="sm:col-span-2" {...text('notes')} />
        </div>
      </Panel>
      <Panel title={t`Link`}>
        <div className="grid gap-4 p-4 sm:grid-cols-3 lg:grid-cols-6">
          <LinkFields link={draft.link} problems={problems} onChange={(link) => change({ link })} />
          <TextField label={t`Unit`} inputMode="numeric" mono {...text('unit')} />
          <Select
            label={t`Order of 32-bit values`}
            choices={orderChoices}
            value={draft.order}
            onChange={(order) => change({ order })}
          />
          <TextField label={t`Readings per second`} inputMode="decimal" mono {...text('hz')} />
          <TextField label={t`Response timeout (ms)`} inputMode="numeric" mono {...text('timeoutMs')} />
          <TextField label={t`Drum RPM at 100 %`} inputMode="decimal" mono {...text('maxDrumRpm')} />
        </div>
      </Panel>
      <Panel
        title={t`Channels`}
        actions={
          <Button
            icon={<Plus aria-hidden />}
            onClick={() => add((key) => ({ channels: [...draft.channels, emptyChannel(key)] }))}
          >
            {t`Add channel`}
          </Button>
        }
      >
        <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted">
          {t`Address: ${<code className="font-mono text-xs">h:6</code>} is holding register 6 (40007 in five digits), ${<code className="font-mono text-xs">i</code>} input, ${<code className="font-mono text-xs">c</code>} coil, ${<code className="font-mono text-xs">d</code>} discrete input; ${<code className="font-mono text-xs">2/h:6</code>} is unit 2, ${<code className="font-mono text-xs">h:6.3</code>} bit 3. Value = raw × scale + offset.`}
        </p>
        {draft.channels.map((channel, row) => (
          <ChannelRow
            key={channel.key}
            row={row}
            channel={channel}
            problems={problems}
            onChange={(part) => change({ channels: changed(draft.channels, channel.key, part) })}
            onDelete={() => removeChannel(channel, t`Channel ${channel.name} was removed`)}
          />
        ))}
      </Panel>
      <Panel
        title={t`Outputs`}
        actions={
          <Button
            icon={<Plus aria-hidden />}
            onClick={() => add((key) => ({ outputs: [...draft.outputs, emptyOutput(key)] }))}
          >
            {t`Add output`}
          </Button>
        }
      >
        <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
          {t`Described and simulated only: the board writes nothing to the machine. Raw = (value − offset) ÷ scale.`}
        </p>
        {draft.outputs.map((output, row) => (
          <OutputRow
            key={output.key}
            row={row}
            output={output}
            channels={draft.channels.map(({ name }) => name.trim())}
            problems={problems}
            onChange={(part) => change({ outputs: changed(draft.outputs, output.key, part) })}
            onDelete={() => removeOutput(output, t`Output ${output.name} was removed`)}
          />
        ))}
      </Panel>
      <Panel
        title={t`Events`}
        actions={
          freeEvent !== undefined && (
            <Button
              icon={<Plus aria-hidden />}
              onClick={() => add((key) => ({ events: [...draft.events, { key, name: freeEvent, when: '', on: '' }] }))}
            >
              {t`Add event`}
            </Button>
          )
        }
      >
        <p className="border-b border-stroke px-4 py-2.5 text-sm text-muted last:border-0">
          {t`The signal is a bit that the machine raises, e.g. ${<code className="font-mono text-xs">d:284</code>} or ${<code className="font-mono text-xs">h:7.3</code>}; the mark is taken from it. Writes are described only.`}
        </p>
        {draft.events.map((event, row) => (
          <EventRow
            key={event.key}
            row={row}
            event={event}
            taken={draft.events.map(({ name }) => name)}
            problems={problems}
            onChange={(part) => change({ events: changed(draft.events, event.key, part) })}
            onDelete={() => removeEvent(event, t`Event ${event.name} was removed`)}
          />
        ))}
      </Panel>
      <FormActions>
        {isBehind && isDirty && <MapConflict base={base} newest={detail} own={draft} onContinue={continueFrom} />}
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
          <Button type="submit" kind="primary" size="md" busy={busy} disabled={!isDirty}>
            {busy ? t`Saving…` : t`Save as revision ${base.rev + 1}`}
          </Button>
        </div>
      </FormActions>
    </form>
  );
};
