-- The small chunks of online boards enter the index by time when they are sealed. For such a chunk this index was 39 % of the
-- CPU of its insert and 30 % of its WAL, and sealing removes the chunk some minutes later.

-- Existing chunks are in the index, and so are those that an older api inserts.
ALTER TABLE recording_chunks ADD COLUMN in_time_index boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN recording_chunks.in_time_index IS
  'False for small chunks of an agent''s recording that are not sealed yet: all of them are at recordings.sealed_seq or after it';

DROP INDEX recording_chunks_by_time;
-- No statement searches chunks by the time of their arrival.
DROP INDEX recording_chunks_by_age;
