import type { MachineMapInput } from '@roastery/contract/machine-map';
import {
  getBoardConfig,
  getMachineMap,
  listMachineMaps,
  listMapRevisions,
  saveMachineMap,
  type MapDetail,
} from '@roastery/contract/machine-maps';
import { useState } from 'react';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { FormActions, FormFrame } from '../../components/form/RecordForm.tsx';
import { EditConflict } from '../../components/form/EditConflict.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { offerUndo } from '../../components/form/use-removal.ts';
import { useAction } from '../../components/use-action.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { draftOf, mapOfDraft } from './map-draft.ts';
import { mergeDrafts } from './map-merge.ts';
import { ChannelsPanel, EventsPanel, LinkPanel, MachinePanel, OutputsPanel } from './MapPanels.tsx';
import { useMapDraft, type Editing, type MapDraftChanges } from './use-map-draft.ts';

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
