-- Chunks of a boot by time: what was recorded at a moment is found without reading what lies before it.
CREATE INDEX recording_chunks_by_time ON recording_chunks (recording_id, boot_no, mono_ms);

-- What boards say about their roasts. Not each of them becomes a row of roasts: a person may have discarded it, merged it
-- into another, or made a roast of the same beans.
CREATE TABLE board_roasts (
  id uuid PRIMARY KEY,
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  owner_id uuid NOT NULL,
  -- The state that the event with the highest sequence number says, and where that event lies.
  state text NOT NULL CHECK (state IN ('in_progress', 'completed', 'aborted')),
  state_seq bigint NOT NULL,
  state_boot_no smallint NOT NULL,
  state_mono_ms bigint NOT NULL,
  -- Where its event with the lowest sequence number lies.
  begin_seq bigint NOT NULL,
  begin_boot_no smallint NOT NULL,
  begin_mono_ms bigint NOT NULL,
  plan_id uuid
);
CREATE INDEX board_roasts_by_place ON board_roasts (recording_id, begin_seq);

-- Whose marks a roast hears beside its own: those of a board's roast, or, after a split, those that its first half hears.
-- `absorbs`: that roast of the board is not one of its own any more. `said`: by a person (merged, split, discarded); else it
-- follows from the rules in api/src/domains/roasts/same-beans.ts.
-- No references: the word of a person outlives the rows.
CREATE TABLE roast_sources (
  roast_id uuid NOT NULL,
  board_roast_id uuid NOT NULL,
  absorbs boolean NOT NULL,
  said boolean NOT NULL,
  PRIMARY KEY (roast_id, board_roast_id)
);
CREATE INDEX roast_sources_by_board_roast ON roast_sources (board_roast_id);

ALTER TABLE roasts
  ADD COLUMN made_by_hand boolean NOT NULL DEFAULT false,
  -- The status without what a person says about charge and drop: the board's word, or the sweeper's. Null: the same as status.
  ADD COLUMN recorded_status text CHECK (recorded_status IN ('in_progress', 'completed', 'aborted'));
CREATE INDEX roasts_made_by_hand ON roasts (recording_id, charge_seq) WHERE made_by_hand;

-- A roast that was discarded, as it was: it can be restored. Null: it was deleted for good.
ALTER TABLE roast_tombstones ADD COLUMN kept jsonb;

INSERT INTO board_roasts (id, recording_id, machine_id, owner_id, state, state_seq, state_boot_no, state_mono_ms,
                          begin_seq, begin_boot_no, begin_mono_ms, plan_id)
SELECT r.id, r.recording_id, r.machine_id, r.owner_id, r.status, r.status_seq,
       r.boot_no, coalesce(r.drop_mono_ms, place.mono_ms), place.seq, place.boot_no, place.mono_ms, r.board_plan_id
  FROM roasts r
  JOIN recordings c ON c.id = r.recording_id AND c.source = 'agent'
  CROSS JOIN LATERAL (
    -- What is known of the place: the first word about any of its marks, else the start that its clock gives.
    (SELECT w.at_seq AS seq, w.boot_no, w.mono_ms FROM roast_marks w
      WHERE w.roast_id = r.id AND w.recording_id = r.recording_id AND w.event_seq IS NOT NULL AND w.at_seq IS NOT NULL
        AND w.boot_no IS NOT NULL AND w.mono_ms IS NOT NULL
      ORDER BY w.event_seq LIMIT 1)
    UNION ALL
    (SELECT coalesce(r.charge_seq, r.status_seq), b.boot_no,
            greatest(0, (extract(epoch FROM r.start_time) * 1000)::bigint - b.wall_offset_ms)
       FROM recording_boots b WHERE b.recording_id = r.recording_id AND b.boot_no = r.boot_no)
    LIMIT 1) place
 WHERE r.status_seq IS NOT NULL AND r.boot_no IS NOT NULL AND r.machine_id IS NOT NULL;
