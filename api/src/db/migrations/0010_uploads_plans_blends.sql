-- Files of roasts that somebody looks at before they are taken in. Kept for a day.
CREATE TABLE roast_uploads (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  file_name text NOT NULL,
  file_sha256 bytea NOT NULL,
  content bytea NOT NULL,
  -- Units, charge and drop that a person set, as the contract's `UploadChoices`.
  choices jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX roast_uploads_by_user ON roast_uploads (user_id, created_at DESC);
CREATE INDEX roast_uploads_by_age ON roast_uploads (created_at);

-- Where an uploaded recording came from, so that nobody takes it in twice unawares. `curve_sha256` is over times and bean
-- temperatures: the same roast saved under another name, or exported and read again, has the same.
ALTER TABLE recordings
  ADD COLUMN file_name text,
  ADD COLUMN file_sha256 bytea,
  ADD COLUMN curve_sha256 bytea,
  -- Channel → {label, unit}: what the file called it.
  ADD COLUMN channel_labels jsonb;
CREATE INDEX recordings_by_file ON recordings (file_sha256) WHERE file_sha256 IS NOT NULL;
CREATE INDEX recordings_by_curve ON recordings (curve_sha256) WHERE curve_sha256 IS NOT NULL;

-- What goes into a machine next: waits for that machine's next charge.
CREATE TABLE planned_roasts (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  created_by uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  profile_id uuid REFERENCES profiles ON DELETE SET NULL,
  coffee_name text,
  batch_size_kg double precision CHECK (batch_size_kg > 0),
  roasted_by text,
  notes text,
  cancelled_at timestamptz,
  -- The roast that its charge began. A roast that turns out to be none gives its plan back.
  roast_id uuid UNIQUE REFERENCES roasts ON DELETE SET NULL,
  bound_at timestamptz
);
CREATE INDEX planned_roasts_waiting ON planned_roasts (machine_id, created_at, id)
  WHERE bound_at IS NULL AND cancelled_at IS NULL;

-- Finished roasts that were mixed.
CREATE TABLE blends (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users,
  name text NOT NULL,
  notes text,
  created_at timestamptz NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1
);
CREATE INDEX blends_by_owner ON blends (owner_id, created_at DESC, id DESC);
CREATE INDEX blends_by_time ON blends (created_at DESC, id DESC);

CREATE TABLE blend_components (
  blend_id uuid NOT NULL REFERENCES blends ON DELETE CASCADE,
  place smallint NOT NULL,
  -- Null once the roast was deleted; its number and coffee stay, as what the blend was made of.
  roast_id uuid REFERENCES roasts ON DELETE SET NULL,
  roast_number text NOT NULL,
  coffee_name text,
  roasted_at timestamptz,
  kg numeric(14, 6) NOT NULL CHECK (kg > 0),
  PRIMARY KEY (blend_id, place),
  UNIQUE (blend_id, roast_id)
);
CREATE INDEX blend_components_by_roast ON blend_components (roast_id) WHERE roast_id IS NOT NULL;
