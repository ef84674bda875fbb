-- Up to this sequence number the small chunks of a stream have been put together.
ALTER TABLE recordings ADD COLUMN sealed_seq bigint NOT NULL DEFAULT 0;
CREATE INDEX recordings_to_seal ON recordings (last_received_at)
  WHERE source = 'agent' AND upper(committed) - sealed_seq > 1800;

-- Chunks as they arrive are written as they are; compression, which costs more than the rest of the insert, is for the large
-- chunks that sealing makes.
ALTER TABLE recording_chunks SET (toast_tuple_target = 8160);
