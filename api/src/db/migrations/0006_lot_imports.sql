-- An import of a list of lots by one person: reviewed row by row, imported in the background, undone as a whole.
CREATE TABLE lot_imports (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'importing', 'done', 'undoing', 'undone')),
  finished_at timestamptz,
  file_name text NOT NULL,
  -- What the person said of the file; what the reader made of it.
  choices jsonb NOT NULL DEFAULT '{}',
  reading jsonb NOT NULL
);
CREATE INDEX lot_imports_by_user ON lot_imports (user_id, created_at DESC);
CREATE INDEX lot_imports_running ON lot_imports (created_at) WHERE state IN ('importing', 'undoing');

-- The file, in parts: it is read again after each choice.
CREATE TABLE lot_import_parts (
  import_id uuid NOT NULL REFERENCES lot_imports ON DELETE CASCADE,
  part integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (import_id, part)
);

CREATE TABLE lot_import_rows (
  import_id uuid NOT NULL REFERENCES lot_imports ON DELETE CASCADE,
  line integer NOT NULL,
  state text NOT NULL DEFAULT 'read' CHECK (state IN ('read', 'imported', 'undone')),
  -- As read from the file, then as a person corrected it: by field.
  "values" jsonb NOT NULL,
  errors jsonb NOT NULL DEFAULT '[]',
  warnings jsonb NOT NULL DEFAULT '[]',
  lot_number text GENERATED ALWAYS AS ("values" ->> 'lot_number') STORED,
  is_corrected boolean NOT NULL DEFAULT false,
  left_out boolean NOT NULL DEFAULT false,
  problem text,
  remarks jsonb NOT NULL DEFAULT '[]',
  lot_id uuid,
  PRIMARY KEY (import_id, line)
);
CREATE INDEX lot_import_rows_by_number ON lot_import_rows (import_id, lot_number);
