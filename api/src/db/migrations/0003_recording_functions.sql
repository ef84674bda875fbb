-- What statements about roasts and machines ask of recordings: they name none of the tables of samples. Functions that return rows are
-- planned as a part of the statement that uses them.

-- The wall clock of a time of a boot, ms since 1970; null where the boot is unknown.
CREATE FUNCTION wall_ms(recording uuid, boot smallint, mono bigint) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT b.wall_offset_ms + mono FROM recording_boots b WHERE b.recording_id = recording AND b.boot_no = boot
$$;

-- The layouts of boards' recordings.
CREATE VIEW recorded_layouts AS
  SELECT c.machine_id, l.recording_id, l.layout_no, l.map_id, l.map_rev, l.channels, l.sent_channels IS NOT NULL AS is_exchanged
  FROM recordings c JOIN recording_layouts l ON l.recording_id = c.id WHERE c.source = 'agent';

-- The layout of the chunk that holds a sequence number or ends before it; where the first chunk begins after it, the first one's.
CREATE FUNCTION layout_at(recording uuid, seq bigint) RETURNS smallint LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(
    (SELECT c.layout_no FROM recording_chunks c WHERE c.recording_id = recording AND c.first_seq <= seq ORDER BY c.first_seq DESC LIMIT 1),
    (SELECT c.layout_no FROM recording_chunks c WHERE c.recording_id = recording ORDER BY c.first_seq LIMIT 1))
$$;

-- The channels of the chunks that hold samples between two sequence numbers, both included, by name.
CREATE FUNCTION recorded_channels(recording uuid, from_seq bigint, to_seq bigint) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT DISTINCT name FROM recording_layouts l, unnest(l.channels) AS name
  WHERE l.recording_id = recording AND l.layout_no IN (
    SELECT c.layout_no FROM recording_chunks c WHERE c.recording_id = recording AND c.first_seq <= to_seq
      AND c.first_seq >= coalesce((SELECT max(f.first_seq) FROM recording_chunks f
                                   WHERE f.recording_id = recording AND f.first_seq <= from_seq), from_seq))
  ORDER BY name
$$;

-- Why a recording has no samples between two sequence numbers: what its board reported, whether none of the numbers may have been
-- used, whether the agent started, and whether everything between them has arrived.
CREATE FUNCTION explain_hole(recording recordings, before bigint, after bigint)
RETURNS TABLE (reported text, skipped boolean, started boolean, arrived boolean) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT
    (SELECT n.reason FROM recording_notes n
     WHERE n.recording_id = recording.id AND n.kind = 'gap' AND n.from_seq < after AND n.to_seq > before
     ORDER BY least(n.to_seq, after) - greatest(n.from_seq, before) DESC, n.event_seq LIMIT 1),
    EXISTS (SELECT FROM recording_notes n JOIN continuing_streams s
      ON s.recording_id = n.recording_id AND s.from_seq = n.to_seq + 1
     WHERE n.recording_id = recording.id AND n.kind = 'gap' AND n.reason = 'damaged' AND n.from_seq > before AND n.to_seq < after),
    EXISTS (SELECT FROM recording_notes n
     WHERE n.recording_id = recording.id AND n.kind = 'start' AND n.event_seq > before AND n.event_seq < after),
    committed_now(recording) @> int8range(before, after)
$$;
