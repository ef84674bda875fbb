-- Instances of the api that divide the journals. Each renews its row every second. Not logged: the rows are worth nothing after a
-- crash, and renewing them needs no sync of the disk.
CREATE UNLOGGED TABLE ingest_instances (
  id      text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);
