-- Files of roasts that a computer beside the machine brought in by itself (Artisan's autosave), one row for each content. A roast has
-- as many as versions of its file were saved; the newest decides.
CREATE TABLE machine_files (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  received_at timestamptz NOT NULL DEFAULT now(),
  file_name text NOT NULL,
  file_sha256 bytea NOT NULL,
  curve_sha256 bytea NOT NULL,
  -- The id that the other program gave the roast, which all versions of its file have.
  source_id text,
  charge_at timestamptz NOT NULL,
  drop_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('created', 'joined', 'updated', 'known', 'deleted')),
  -- No foreign key: a deleted roast must not come back with its file.
  roast_id uuid,
  -- What the file says of the roast: what differs on the roast was changed by a person.
  facts jsonb NOT NULL,
  UNIQUE (machine_id, file_sha256)
);
CREATE INDEX machine_files_by_time ON machine_files (machine_id, charge_at);
