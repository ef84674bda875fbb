-- An import of many files by one person: read and imported in the background, undone as a whole.
CREATE TABLE roast_imports (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'importing', 'done', 'undoing', 'undone')),
  finished_at timestamptz,
  machine_id uuid REFERENCES machines ON DELETE SET NULL,
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  takes_green boolean NOT NULL DEFAULT false
);
CREATE INDEX roast_imports_by_user ON roast_imports (user_id, created_at DESC);
CREATE INDEX roast_imports_running ON roast_imports (created_at) WHERE state IN ('importing', 'undoing');

-- Its content is the upload of the same id, as long as there is one.
ALTER TABLE roast_uploads ADD COLUMN import_id uuid REFERENCES roast_imports ON DELETE CASCADE;
CREATE INDEX roast_uploads_by_import ON roast_uploads (import_id) WHERE import_id IS NOT NULL;

CREATE TABLE roast_import_files (
  id uuid PRIMARY KEY,
  import_id uuid NOT NULL REFERENCES roast_imports ON DELETE CASCADE,
  file_name text NOT NULL,
  size_bytes integer NOT NULL,
  file_sha256 bytea NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'read', 'refused', 'imported', 'undone')),
  -- As found in the file, then as a person corrected it.
  format text,
  coffee_name text,
  start_time timestamptz,
  duration_seconds double precision,
  batch_size_kg double precision,
  end_weight_kg double precision,
  machine_name text,
  machine_id uuid REFERENCES machines ON DELETE SET NULL,
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  source_batch text,
  has_charge boolean NOT NULL DEFAULT false,
  curve_sha256 bytea,
  problem text,
  remarks text[] NOT NULL DEFAULT '{}',
  -- What the reader had to assume; `remarks` has it behind the problem in words.
  warnings text[] NOT NULL DEFAULT '{}',
  -- A person's word: true leaves it out, false imports it although it is a duplicate.
  left_out boolean,
  roast_id uuid,
  UNIQUE (import_id, file_name, file_sha256)
);
CREATE INDEX roast_import_files_waiting ON roast_import_files (import_id, id) WHERE state = 'waiting';
CREATE INDEX roast_import_files_by_curve ON roast_import_files (import_id, curve_sha256);
