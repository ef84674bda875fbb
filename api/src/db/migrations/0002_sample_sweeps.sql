-- Removing old samples costs what has become old since the last time, not what there is: each recording remembers how far it was
-- swept.

ALTER TABLE recordings
  -- Samples below this sequence number were swept: those outside of roasts are gone.
  ADD COLUMN swept_seq bigint NOT NULL DEFAULT 0,
  -- About when the oldest sample arrived that was not swept.
  ADD COLUMN unswept_since timestamptz NOT NULL DEFAULT now();
UPDATE recordings SET unswept_since = created_at;
CREATE INDEX recordings_to_sweep ON recordings (unswept_since);

-- Stretches below that number to sweep again: a roast covers them no more, or samples of them arrived late.
CREATE TABLE sample_sweeps (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  -- Not included.
  to_seq bigint NOT NULL,
  -- When the samples arrived; -infinity when they are old.
  received_at timestamptz NOT NULL
);
CREATE INDEX sample_sweeps_by_age ON sample_sweeps (received_at);
CREATE INDEX sample_sweeps_by_recording ON sample_sweeps (recording_id);

-- Half an hour at 10 Hz is kept before and after a roast; a chunk has at most 600 samples.
CREATE FUNCTION sweep_uncovered_samples() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sample_sweeps (recording_id, from_seq, to_seq, received_at)
  SELECT r.id, s.first_seq - 18600, s.last_seq + 18600, '-infinity'
  FROM recordings r, LATERAL (
    SELECT coalesce(OLD.charge_seq, OLD.status_seq, 0) AS first_seq,
           coalesce(OLD.drop_seq, OLD.status_seq, OLD.charge_seq, 0) AS last_seq) s
  WHERE r.id = OLD.recording_id AND r.swept_seq > s.first_seq - 18600;
  RETURN NULL;
END $$;
CREATE TRIGGER roasts_deleted_uncover AFTER DELETE ON roasts
  FOR EACH ROW WHEN (OLD.recording_id IS NOT NULL) EXECUTE FUNCTION sweep_uncovered_samples();
CREATE TRIGGER roasts_moved_uncover AFTER UPDATE OF recording_id, charge_seq, drop_seq, status_seq ON roasts
  FOR EACH ROW WHEN (OLD.recording_id IS NOT NULL AND (
    OLD.recording_id IS DISTINCT FROM NEW.recording_id OR OLD.charge_seq IS DISTINCT FROM NEW.charge_seq
    OR OLD.drop_seq IS DISTINCT FROM NEW.drop_seq OR OLD.status_seq IS DISTINCT FROM NEW.status_seq))
  EXECUTE FUNCTION sweep_uncovered_samples();

-- Finds the roasts without a charge that cover a stretch.
CREATE INDEX roasts_without_charge ON roasts (recording_id, status_seq)
  WHERE charge_seq IS NULL AND recording_id IS NOT NULL;
