-- A separate transaction from 0015, which locks the table also for readers: other apis can read while this index is built.
CREATE INDEX recording_chunks_by_time ON recording_chunks (recording_id, boot_no, mono_ms) WHERE in_time_index;
