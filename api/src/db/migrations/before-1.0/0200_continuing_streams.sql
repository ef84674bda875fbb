-- A board whose disk fails goes on in a stream with a fresh epoch, in memory. Its sequence numbers continue those of the stream
-- before, and so does its recording: a roast in that moment stays one roast.
CREATE TABLE continuing_streams (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  epoch text NOT NULL,
  -- The first sequence number of the stream that is stored in this recording.
  from_seq bigint NOT NULL,
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  PRIMARY KEY (machine_id, epoch, from_seq)
);
CREATE INDEX continuing_streams_recording ON continuing_streams (recording_id, from_seq);

-- Where the entries of a stream are stored: from from_seq up to, not including, until_seq.
CREATE VIEW stream_parts AS
  SELECT p.machine_id, p.epoch, p.recording_id, p.from_seq,
         (SELECT min(o.from_seq) FROM continuing_streams o
           WHERE o.recording_id = p.recording_id AND o.epoch <> p.epoch AND o.from_seq > p.from_seq) AS until_seq
  FROM (
    SELECT machine_id, epoch, id AS recording_id, 0::bigint AS from_seq FROM recordings WHERE epoch IS NOT NULL
    UNION ALL
    SELECT machine_id, epoch, recording_id, from_seq FROM continuing_streams) p;
