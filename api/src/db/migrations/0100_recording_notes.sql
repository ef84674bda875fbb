-- What a board said about its own journal: that the agent began ('start'), and which entries will never come ('gap').
-- They explain the pauses of a curve.
CREATE TABLE recording_notes (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  event_seq bigint NOT NULL,
  boot_no smallint NOT NULL,
  mono_ms bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('start', 'gap')),
  agent_version text CHECK ((agent_version IS NOT NULL) = (kind = 'start')),
  -- Both included.
  from_seq bigint,
  to_seq bigint CHECK (to_seq >= from_seq),
  reason text CHECK (reason IN ('disk_full', 'damaged', 'cap_reached')),
  PRIMARY KEY (recording_id, event_seq),
  CHECK ((from_seq IS NOT NULL AND to_seq IS NOT NULL AND reason IS NOT NULL) = (kind = 'gap'))
);
CREATE INDEX recording_notes_gaps ON recording_notes (recording_id, to_seq) WHERE kind = 'gap';
