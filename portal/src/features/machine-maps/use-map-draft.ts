import type { MapDetail } from '@roastery/contract/machine-maps';
import { useEffect, useRef, useState } from 'react';
import { draftOf, type DraftProblems, type MapDraft } from './map-draft.ts';

/** A map as it is edited. */
export interface Editing {
  /** The revision that the draft began with. */
  readonly base: MapDetail;
  readonly draft: MapDraft;
  readonly isDirty: boolean;
  readonly problems: DraftProblems;
  /** Above the key of every row of the map. */
  readonly nextKey: number;
}

/** Begins with a revision, or continues from one with own changes. */
export const editingOf = (base: MapDetail, own: MapDraft | null = null, nextKey = 1000): Editing => ({
  base,
  draft: own ?? draftOf(base.map),
  isDirty: own !== null,
  problems: {},
  nextKey,
});

export const changedBy = (editing: Editing, part: Partial<MapDraft>): Editing => ({
  ...editing,
  draft: { ...editing.draft, ...part },
  isDirty: true,
  problems: {},
});

/** @param part the draft's rows with one more, which gets the key */
export const withRow = (editing: Editing, part: (draft: MapDraft, key: number) => Partial<MapDraft>): Editing => ({
  ...changedBy(editing, part(editing.draft, editing.nextKey)),
  nextKey: editing.nextKey + 1,
});

export const rowsWith = <Row extends { key: number }>(rows: readonly Row[], key: number, part: Partial<Row>): Row[] =>
  rows.map((row) => (row.key === key ? { ...row, ...part } : row));

type TextName = 'maker' | 'model' | 'notes' | 'unit' | 'hz' | 'timeoutMs' | 'maxDrumRpm';

/** The draft of a map. Without changes it follows the newest revision. */
export const useMapDraft = (detail: MapDetail) => {
  const [editing, setEditing] = useState(() => editingOf(detail));
  const latest = useRef(editing.draft);
  useEffect(() => {
    latest.current = editing.draft;
  });
  const isBehind = detail.rev > editing.base.rev;
  const continueFrom = (base: MapDetail, own: MapDraft | null) =>
    setEditing(({ nextKey }) => editingOf(base, own, nextKey));
  if (isBehind && !editing.isDirty) continueFrom(detail, null);
  const change = (part: Partial<MapDraft>) => setEditing((now) => changedBy(now, part));
  return {
    editing,
    isBehind,
    continueFrom,
    change,
    add: (part: (draft: MapDraft, key: number) => Partial<MapDraft>) => setEditing((now) => withRow(now, part)),
    refuse: (problems: DraftProblems) => setEditing((now) => ({ ...now, problems })),
    /** The draft on screen, for work that began with an earlier one. */
    latest: () => latest.current,
    text: (name: TextName) => ({
      value: editing.draft[name],
      onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
      error: editing.problems[name],
      autoComplete: 'off',
    }),
  };
};
export type MapDraftChanges = ReturnType<typeof useMapDraft>;
