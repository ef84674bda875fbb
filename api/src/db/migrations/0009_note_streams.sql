-- A gap is noted in the recording in which it lies, whichever stream reports it: the number of the reporting entry may stand there
-- for an entry of another stream.

ALTER TABLE recording_notes ADD COLUMN epoch text;

UPDATE recording_notes n SET epoch = coalesce(
  (SELECT p.epoch FROM stream_parts p
   WHERE p.recording_id = n.recording_id AND p.from_seq <= n.event_seq AND (p.until_seq IS NULL OR n.event_seq < p.until_seq)
   ORDER BY p.from_seq DESC LIMIT 1), '');

ALTER TABLE recording_notes
  ALTER COLUMN epoch SET NOT NULL,
  DROP CONSTRAINT recording_notes_pkey,
  ADD PRIMARY KEY (recording_id, epoch, event_seq);
COMMENT ON COLUMN recording_notes.epoch IS 'The stream of the entry event_seq, which says it';
COMMENT ON COLUMN recording_notes.from_seq IS 'In the numbers of this recording, also where another one holds the entry that says it';
