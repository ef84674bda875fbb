-- A batch that continues its stream is stored as chunks alone: the recording's row is written once a minute, or when something
-- else than samples at the end of the stream is committed.

COMMENT ON COLUMN recordings.committed IS
  'Sequence numbers that are in the database or will never come, without the newest samples: see committed_now()';
COMMENT ON COLUMN recordings.last_received_at IS 'May be a minute old';

-- Chunks behind `committed` continue it without a gap: the end of the last one is the end of what is committed.
CREATE FUNCTION committed_now(r recordings) RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT r.committed + coalesce(
    (SELECT int8multirange(int8range(upper(r.committed), c.first_seq + cardinality(c.dt_ms)))
     FROM recording_chunks c WHERE c.recording_id = r.id AND c.first_seq >= upper(r.committed)
     ORDER BY c.first_seq DESC LIMIT 1), '{}')
$$;
