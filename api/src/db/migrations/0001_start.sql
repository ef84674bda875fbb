-- Ids are UUIDs (version 7 where we make them). Times are timestamptz. °C, kg, seconds; `_ms` says milliseconds.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  full_name text NOT NULL,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  password_hash text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  is_admin boolean NOT NULL DEFAULT false,
  preferences jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  address text,
  user_agent text
);
CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  actor_id uuid,
  actor text NOT NULL,
  action text NOT NULL,
  subject text,
  address text,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_by_time ON audit_log (at DESC, id DESC);

CREATE TABLE roastery_settings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  roastery_name text,
  address text,
  city text,
  country text,
  postal_code text,
  email text,
  phone text,
  website text,
  time_zone text NOT NULL DEFAULT 'UTC'
);

CREATE TABLE options (
  id uuid PRIMARY KEY,
  category text NOT NULL CHECK (category IN ('variety', 'origin', 'process', 'warehouse', 'machine_type')),
  value text NOT NULL,
  description text,
  sort_order integer NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  UNIQUE (category, value)
);

CREATE TABLE machines (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users,
  serial_number text NOT NULL,
  display_name text NOT NULL,
  machine_type text NOT NULL,
  max_capacity_kg double precision NOT NULL CHECK (max_capacity_kg > 0),
  max_drum_rpm double precision NOT NULL DEFAULT 100,
  -- The owner's machine map, pushed to the board as retained config; null: the board uses its own file.
  map jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  -- Heard from: any journal batch, live reading or status of the board.
  last_seen_at timestamptz,
  is_online boolean NOT NULL DEFAULT false,
  status jsonb,
  status_session text
);
-- An archived machine's serial number may be registered again.
CREATE UNIQUE INDEX machines_by_serial ON machines (serial_number) WHERE archived_at IS NULL;
CREATE INDEX machines_by_owner ON machines (owner_id);

CREATE TABLE machine_credentials (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  -- SHA-256 of a random secret of at least 128 bits: fast to check, useless when stolen.
  token_hash bytea NOT NULL,
  origin text NOT NULL CHECK (origin IN ('registration', 'pairing', 'rotation')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX machine_credentials_by_machine ON machine_credentials (machine_id);

CREATE TABLE pairing_tickets (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  code_hash bytea NOT NULL UNIQUE,
  issued_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  redeemed_at timestamptz,
  redeemed_secret_hash bytea,
  redeemed_from text,
  hardware_id text,
  agent_version text,
  revoked_at timestamptz
);
CREATE INDEX pairing_tickets_by_machine ON pairing_tickets (machine_id);

-- Green coffee ---------------------------------------------------------------------------------------------------

CREATE TABLE lots (
  id uuid PRIMARY KEY,
  lot_number text NOT NULL UNIQUE,
  coffee_name text NOT NULL,
  origin text NOT NULL,
  region text,
  farm text,
  variety text,
  process text,
  altitude double precision,
  harvest_date timestamptz,
  supplier text,
  purchase_date timestamptz,
  cost_per_kg double precision,
  initial_weight double precision NOT NULL CHECK (initial_weight > 0),
  -- Kept equal to the sum of the ledger by the verbs that write movements, in the same transaction. Exact to a milligram.
  current_weight numeric(14, 6) NOT NULL DEFAULT 0,
  location text,
  cupping_score double precision,
  moisture_content double precision,
  water_activity double precision,
  density double precision,
  screen_size text,
  notes text,
  is_reserved boolean NOT NULL DEFAULT false,
  registration_date timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  revision integer NOT NULL DEFAULT 1
);
CREATE INDEX lots_by_registration ON lots (registration_date DESC, id DESC);

CREATE TABLE lot_movements (
  id uuid PRIMARY KEY,
  lot_id uuid NOT NULL REFERENCES lots ON DELETE CASCADE,
  at timestamptz NOT NULL DEFAULT now(),
  kg numeric(14, 6) NOT NULL,
  reason text NOT NULL CHECK (reason IN ('initial', 'initial_edit', 'roast', 'roast_edit', 'roast_delete', 'adjustment')),
  note text,
  roast_id uuid,
  by_user uuid REFERENCES users
);
CREATE INDEX lot_movements_by_lot ON lot_movements (lot_id, at DESC, id DESC);
CREATE INDEX lot_movements_by_roast ON lot_movements (roast_id) WHERE roast_id IS NOT NULL;

CREATE TABLE profiles (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  coffee_origin text,
  coffee_variety text,
  roast_level text NOT NULL,
  target_drop_temp double precision NOT NULL,
  target_roast_time integer NOT NULL,
  target_development_time integer,
  min_batch_size double precision,
  max_batch_size double precision,
  green_coffee_lot_id uuid REFERENCES lots ON DELETE SET NULL,
  auto_deduct_inventory boolean NOT NULL DEFAULT true,
  alert_low_inventory boolean NOT NULL DEFAULT false,
  control_profile jsonb NOT NULL,
  auto_interpolate boolean NOT NULL DEFAULT false,
  times_used integer NOT NULL DEFAULT 0,
  reference_roast_id uuid,
  created_by uuid REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  revision integer NOT NULL DEFAULT 1
);
CREATE INDEX profiles_by_lot ON profiles (green_coffee_lot_id);

CREATE TABLE profile_favorites (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  profile_id uuid NOT NULL REFERENCES profiles ON DELETE CASCADE,
  PRIMARY KEY (user_id, profile_id)
);

-- Recordings -----------------------------------------------------------------------------------------------------

-- One stream of a board's journal (machine, epoch), or one uploaded file. Samples are stored once, in chunks.
CREATE TABLE recordings (
  id uuid PRIMARY KEY,
  machine_id uuid REFERENCES machines,
  epoch text,
  source text NOT NULL CHECK (source IN ('agent', 'upload', 'manual')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Sequence numbers that are in the database, or will never come (gaps, quarantine). Decides what is new in a batch.
  committed int8multirange NOT NULL DEFAULT '{}',
  last_received_at timestamptz,
  UNIQUE (machine_id, epoch)
);

-- Monotonic clocks compare within one boot only; wall time = wall_offset_ms + monotonic ms.
CREATE TABLE recording_boots (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  boot_no smallint NOT NULL,
  boot_id text NOT NULL,
  wall_offset_ms bigint NOT NULL,
  -- How the offset is known: 0 received_at only, 1 an unsynchronised board clock, 2 a synchronised one.
  quality smallint NOT NULL,
  PRIMARY KEY (recording_id, boot_no),
  UNIQUE (recording_id, boot_id)
);

CREATE TABLE recording_layouts (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  layout_no smallint NOT NULL,
  map_id text NOT NULL,
  map_rev integer NOT NULL,
  channels text[] NOT NULL,
  PRIMARY KEY (recording_id, layout_no),
  UNIQUE (recording_id, map_id, map_rev, channels)
);

-- `values` holds one column after the other, each as long as `dt_ms`; null where nothing valid was read.
-- No foreign key to recordings: it would cost a look-up for every chunk, and ingest creates both in one transaction.
CREATE TABLE recording_chunks (
  recording_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  boot_no smallint NOT NULL,
  layout_no smallint NOT NULL,
  mono_ms bigint NOT NULL,
  dt_ms integer[] NOT NULL,
  values real[] NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (recording_id, first_seq)
);
CREATE INDEX recording_chunks_by_age ON recording_chunks USING brin (received_at);

-- Messages that could not be understood, with the reason; they are acknowledged so that a board does not resend for ever.
CREATE TABLE quarantine (
  id uuid PRIMARY KEY,
  received_at timestamptz NOT NULL DEFAULT now(),
  topic text NOT NULL,
  serial_number text,
  reason text NOT NULL,
  payload bytea NOT NULL
);
CREATE INDEX quarantine_by_time ON quarantine (received_at DESC);

-- Roasts ---------------------------------------------------------------------------------------------------------

CREATE TABLE roasts (
  id uuid PRIMARY KEY,
  recording_id uuid REFERENCES recordings,
  machine_id uuid REFERENCES machines,
  owner_id uuid NOT NULL REFERENCES users,
  status text NOT NULL CHECK (status IN ('in_progress', 'completed', 'aborted')),
  -- Sequence number of the event that last set the status, so that a late earlier event does not undo it.
  status_seq bigint,
  -- Window on the recording: monotonic ms of charge and drop within one boot, and the samples nearest to them.
  boot_no smallint,
  charge_mono_ms bigint,
  drop_mono_ms bigint,
  charge_seq bigint,
  drop_seq bigint,
  start_time timestamptz NOT NULL,
  -- What was roasted and by whom: people edit these.
  roast_number text,
  coffee_name text,
  coffee_origin text,
  coffee_process text,
  profile_id uuid REFERENCES profiles ON DELETE SET NULL,
  profile_name text,
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  roasted_by text,
  batch_size_kg double precision CHECK (batch_size_kg > 0),
  end_weight_kg double precision CHECK (end_weight_kg >= 0),
  roast_level text,
  roast_level_target text,
  notes text,
  cupping_score double precision,
  color double precision,
  -- Derived from marks and samples by one verb whenever either changes.
  duration_seconds double precision,
  charge_temp double precision,
  drop_temp double precision,
  first_crack_time double precision,
  first_crack_temp double precision,
  development_time_seconds double precision,
  development_time_ratio double precision,
  created_at timestamptz NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1
);
CREATE INDEX roasts_by_start ON roasts (start_time DESC, id DESC);
CREATE INDEX roasts_by_owner ON roasts (owner_id, start_time DESC, id DESC);
CREATE INDEX roasts_by_machine ON roasts (machine_id, start_time DESC, id DESC);
CREATE INDEX roasts_by_profile ON roasts (profile_id) WHERE profile_id IS NOT NULL;
CREATE INDEX roasts_by_lot ON roasts (lot_id) WHERE lot_id IS NOT NULL;
CREATE INDEX roasts_running ON roasts (machine_id) WHERE status = 'in_progress';

-- Every word anyone said about a mark is kept. Of the device's words the highest event_seq of a kind counts; a person's newest
-- word outranks the device's; taken_back says that the mark was withdrawn.
CREATE TABLE roast_marks (
  id uuid PRIMARY KEY,
  -- No foreign key: marks of a roast may arrive before the event that creates it.
  roast_id uuid NOT NULL,
  kind text NOT NULL,
  origin text NOT NULL CHECK (origin IN ('machine', 'detector', 'person')),
  at_seq bigint,
  mono_ms bigint,
  temp double precision,
  confidence double precision NOT NULL,
  provisional boolean NOT NULL,
  taken_back boolean NOT NULL DEFAULT false,
  recording_id uuid,
  boot_no smallint,
  event_seq bigint,
  by_user uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (roast_id, recording_id, event_seq)
);
CREATE INDEX roast_marks_by_roast ON roast_marks (roast_id);

CREATE TABLE roast_favorites (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  roast_id uuid NOT NULL REFERENCES roasts ON DELETE CASCADE,
  PRIMARY KEY (user_id, roast_id)
);

-- A deleted roast does not come back when a board sends it again.
CREATE TABLE roast_tombstones (
  roast_id uuid PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  deleted_by uuid
);

CREATE TABLE lot_alerts (
  lot_id uuid PRIMARY KEY REFERENCES lots ON DELETE CASCADE,
  -- Raised once per crossing of the threshold; cleared when the weight is back above it.
  raised_at timestamptz NOT NULL DEFAULT now(),
  dismissed_at timestamptz
);
