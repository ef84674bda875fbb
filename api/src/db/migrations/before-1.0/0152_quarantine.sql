-- A refused message is kept once however often it comes, and can be tried again.
ALTER TABLE quarantine
  -- Hash of serial number and payload; null for rows from before, which may hold repeats.
  ADD COLUMN key bytea,
  ADD COLUMN times integer NOT NULL DEFAULT 1,
  ADD COLUMN last_received_at timestamptz,
  -- The machine at that time, if there was one: what it sent is not stored for a later machine of the same number.
  ADD COLUMN machine_id uuid;
CREATE UNIQUE INDEX quarantine_by_key ON quarantine (key);
CREATE INDEX quarantine_by_serial ON quarantine (serial_number, received_at DESC);

-- How many messages left the quarantine for want of room. The audit log is told now and then, not for each.
CREATE TABLE quarantine_drops (
  serial_number text PRIMARY KEY,
  dropped bigint NOT NULL,
  audited bigint NOT NULL DEFAULT 0,
  audited_at timestamptz
);
