-- Ids are UUIDs (version 7 where we make them; a roast's is version 4). Times are timestamptz. °C, kg, seconds; `_ms` means
-- milliseconds.

-- People ---------------------------------------------------------------------------------------------------------

CREATE TABLE users (
  id uuid PRIMARY KEY,
  full_name text NOT NULL,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  password_hash text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  is_admin boolean NOT NULL DEFAULT false,
  -- Lets people switch on a shared tablet; it grants nothing.
  pin_hash text,
  -- Until when the person has seen that the PIN was locked.
  pin_locks_seen_at timestamptz,
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

-- Failed sign-ins by hashed account and by address; shared by all instances of the api. Times are ms since 1970.
CREATE UNLOGGED TABLE sign_in_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

-- Browsers to which a user wants alarms sent. A browser receives them as long as its session lasts.
CREATE TABLE push_subscriptions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  endpoint text NOT NULL UNIQUE,
  p256dh text NOT NULL,
  auth text NOT NULL,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);
CREATE INDEX push_subscriptions_by_session ON push_subscriptions (session_id);

-- Links that open the wall on a screen without an account; they end with the person who made them. Only hashes are kept of the
-- tokens of links and of their screens.
CREATE TABLE wall_links (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid REFERENCES users ON DELETE CASCADE,
  last_opened_at timestamptz
);

CREATE TABLE wall_screens (
  id uuid PRIMARY KEY,
  link_id uuid NOT NULL REFERENCES wall_links ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX wall_screens_by_link ON wall_screens (link_id);

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
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, at DESC);
CREATE INDEX audit_log_by_action ON audit_log (action, at DESC, id DESC);

-- Settings -------------------------------------------------------------------------------------------------------

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
  time_zone text NOT NULL DEFAULT 'UTC',
  -- Receives low-stock alerts in addition to the administrators.
  alert_email text,
  -- ISO 4217. Amounts of money are integers of the currency's smallest unit: cents of USD, yen of JPY.
  currency text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$'),
  currency_digits smallint NOT NULL DEFAULT 2 CHECK (currency_digits BETWEEN 0 AND 4),
  -- In which green coffee is bought.
  bag_sizes jsonb NOT NULL
    DEFAULT '[{"weight": 60, "unit": "kg"}, {"weight": 69, "unit": "kg"}, {"weight": 152, "unit": "lb"}]',
  -- Every user is then a roaster of every machine.
  all_users_see_all_machines boolean NOT NULL DEFAULT false,
  revision integer NOT NULL DEFAULT 1
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

-- The key by which push services know this roastery, made at the first start.
CREATE TABLE push_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  public_key text NOT NULL,
  private_key text NOT NULL
);

-- Mail -----------------------------------------------------------------------------------------------------------

-- The outbox: a row is written in the transaction that causes the mail, and sent afterwards with retries.
CREATE TABLE outgoing_mail (
  id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  recipients text[] NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  gave_up_at timestamptz,
  last_error text
);
CREATE INDEX outgoing_mail_due ON outgoing_mail (next_attempt_at) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outgoing_mail_by_age ON outgoing_mail (created_at);

-- Machines and boards --------------------------------------------------------------------------------------------

CREATE TABLE machines (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users,
  serial_number text NOT NULL,
  display_name text NOT NULL,
  machine_type text NOT NULL,
  max_capacity_kg double precision NOT NULL CHECK (max_capacity_kg > 0),
  max_drum_rpm double precision NOT NULL DEFAULT 100,
  created_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  -- Updated by any journal batch, live reading or status of the board.
  last_seen_at timestamptz,
  is_online boolean NOT NULL DEFAULT false,
  -- Since when the machine has not answered its board, which repeats in its status that it does not.
  silent_since timestamptz,
  status jsonb,
  status_session text,
  -- The machine map in use and what is set for the board. `map` is both together, as it is pushed to the board as retained
  -- config; null: the board uses its own file.
  map_id text,
  map_rev integer,
  map jsonb,
  board_settings jsonb NOT NULL DEFAULT '{}',
  -- Rises with every change of what is pushed; a board's status names the revision it runs.
  config_rev bigint NOT NULL DEFAULT 0,
  config_changed_at timestamptz,
  -- Runs of agents that have connected with the machine's credential, newest last, as 'instance/session'. A run that connects again
  -- after another one is a second board with the same credential.
  board_connections text[] NOT NULL DEFAULT '{}',
  credential_shared_at timestamptz,
  -- The newest update that was ordered for the board: id, version, at, by; `withdrawn` when it was taken back.
  board_order jsonb,
  -- Who stands at the machine: named by its next roasts.
  roaster_id uuid REFERENCES users ON DELETE SET NULL,
  roaster_since timestamptz CHECK ((roaster_since IS NULL) <= (roaster_id IS NULL)),
  -- Counts its own batch numbers; without one it takes those of the roastery.
  batch_prefix text CHECK (batch_prefix ~ '^[A-Z][A-Z0-9]{0,5}$'),
  revision integer NOT NULL DEFAULT 1
);
-- An archived machine's serial number may be registered again.
CREATE UNIQUE INDEX machines_by_serial ON machines (serial_number) WHERE archived_at IS NULL;
CREATE INDEX machines_by_owner ON machines (owner_id);
CREATE INDEX machines_by_map ON machines (map_id) WHERE map_id IS NOT NULL;
-- Two machines in use never count in one series.
CREATE UNIQUE INDEX machines_by_batch_prefix ON machines (batch_prefix) WHERE archived_at IS NULL;

-- People who share a machine with its owner. A roaster sees it, plans, marks and edits its roasts; a viewer sees it.
CREATE TABLE machine_members (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('roaster', 'viewer')),
  added_at timestamptz NOT NULL DEFAULT now(),
  added_by uuid REFERENCES users ON DELETE SET NULL,
  PRIMARY KEY (user_id, machine_id)
);
CREATE INDEX machine_members_by_machine ON machine_members (machine_id);

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
  -- The first call of the board with its new credential: the credential is on the board's disk.
  confirmed_at timestamptz,
  hardware_id text,
  agent_version text,
  revoked_at timestamptz
);
CREATE INDEX pairing_tickets_by_machine ON pairing_tickets (machine_id);
CREATE INDEX pairing_tickets_by_time ON pairing_tickets (created_at DESC, id DESC);

CREATE TABLE machine_credentials (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  -- SHA-256 of a random secret of at least 128 bits: fast to check, useless when stolen.
  token_hash bytea NOT NULL,
  origin text NOT NULL CHECK (origin IN ('registration', 'pairing', 'rotation')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  ticket_id uuid REFERENCES pairing_tickets ON DELETE SET NULL
);
CREATE INDEX machine_credentials_by_machine ON machine_credentials (machine_id);
-- Rotated credentials whose overlap ends: polled every few seconds.
CREATE INDEX machine_credentials_ending ON machine_credentials (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- A board keeps what it recorded for another owner sealed until an admin confirms that it may be sent to this one.
CREATE TABLE history_restores (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  -- Of the stream on the board.
  epoch text NOT NULL,
  -- The owner at the time of the confirmation. It is valid for no other owner.
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  confirmed_by uuid REFERENCES users ON DELETE SET NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (machine_id, epoch, owner_id)
);

-- Serial numbers of deleted machines whose retained messages are still on the broker. They are cleared when the broker can be
-- reached, and before anything is published for a new machine of that number.
CREATE TABLE retained_clears (
  serial_number text PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now()
);

-- Machine maps ---------------------------------------------------------------------------------------------------

-- The roastery's own machine maps; those of the catalogue are files. Every save is a revision, and every revision is kept,
-- also of a deleted map, since roasts were read by it.
CREATE TABLE machine_maps (
  id text PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users,
  -- The newest revision.
  rev integer NOT NULL CHECK (rev > 0),
  -- The map it began as a copy of, as `id` or `id@rev`.
  based_on text,
  -- Where it comes from, so that a correction of its source can name the maps that it concerns.
  origin text NOT NULL DEFAULT 'other' CHECK (origin IN ('copy', 'artisan_settings', 'other')),
  -- Its bean and exhaust temperature may be exchanged: its owner is asked about them.
  check_channels boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX machine_maps_by_owner ON machine_maps (owner_id);

CREATE TABLE machine_map_revisions (
  map_id text NOT NULL REFERENCES machine_maps ON DELETE CASCADE,
  rev integer NOT NULL CHECK (rev > 0),
  -- json, not jsonb: channels keep the order they were written in.
  map json NOT NULL,
  note text,
  saved_by uuid REFERENCES users,
  saved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (map_id, rev)
);

-- Revisions of catalogue maps that machines got by themselves. Each is set once: who goes back to an earlier one keeps it.
CREATE TABLE map_updates (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  map_id text NOT NULL,
  to_rev integer NOT NULL,
  from_rev integer NOT NULL,
  -- Bean and exhaust temperature were exchanged in the earlier revision.
  exchanged boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (machine_id, map_id, to_rev)
);

-- Who has read it.
CREATE TABLE map_update_dismissals (
  machine_id uuid NOT NULL,
  map_id text NOT NULL,
  to_rev integer NOT NULL,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (machine_id, map_id, to_rev, user_id),
  FOREIGN KEY (machine_id, map_id, to_rev) REFERENCES map_updates ON DELETE CASCADE
);

-- Registers of bean and exhaust temperature that a person stated to be right, for every revision of a map that has them.
CREATE TABLE confirmed_channels (
  map_id text NOT NULL,
  bean_at text NOT NULL,
  exhaust_at text NOT NULL,
  -- The revision that the person saw.
  map_rev integer NOT NULL,
  confirmed_by uuid REFERENCES users ON DELETE SET NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (map_id, bean_at, exhaust_at)
);

-- Recordings of a map revision in which bean and exhaust temperature were exchanged. A statement of an owner about a machine;
-- `recording_layouts` holds its effect. Samples stay as they were recorded.
CREATE TABLE channel_exchanges (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  map_id text NOT NULL,
  map_rev integer NOT NULL,
  -- False: the recordings are right as they are, so that they are not proposed again.
  is_exchanged boolean NOT NULL,
  stated_by uuid REFERENCES users ON DELETE SET NULL,
  stated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (machine_id, map_id, map_rev)
);

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
  -- An amount for a weight: 6.125 a kilogram is 6125 cents for 10 kg. The digits that a person entered are kept, however many.
  price_minor bigint CHECK (price_minor >= 0),
  price_kg numeric NOT NULL DEFAULT 1 CHECK (price_kg > 0),
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
-- The few movements that corrected an earlier one.
CREATE INDEX lot_movements_edits ON lot_movements (roast_id) WHERE reason = 'roast_edit';
-- Recent use by roasts: the run-out estimate of each lot.
CREATE INDEX lot_movements_use ON lot_movements (lot_id, at) INCLUDE (kg)
  WHERE reason IN ('roast', 'roast_edit', 'roast_delete');

-- Raised once per crossing of the threshold; the row is deleted when the weight is back above it.
CREATE TABLE lot_alerts (
  lot_id uuid PRIMARY KEY REFERENCES lots ON DELETE CASCADE,
  raised_at timestamptz NOT NULL DEFAULT now(),
  -- Null until a mail about the alert is in the outbox.
  mailed_at timestamptz
);
CREATE INDEX lot_alerts_to_mail ON lot_alerts (raised_at) WHERE mailed_at IS NULL;

CREATE TABLE lot_alert_dismissals (
  lot_id uuid NOT NULL REFERENCES lot_alerts ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (lot_id, user_id)
);

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

-- Recipes --------------------------------------------------------------------------------------------------------

CREATE TABLE profiles (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  coffee_origin text,
  coffee_variety text,
  roast_level text NOT NULL,
  -- °C of the empty drum at which to charge; without one the cockpit shows the drum's temperature alone.
  target_charge_temp double precision,
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
  -- Decides what is new in a batch. A batch that continues its stream is stored as chunks alone: this row is written once a
  -- minute, or when something else than samples at the end of the stream is committed.
  committed int8multirange NOT NULL DEFAULT '{}',
  last_received_at timestamptz,
  -- Up to this sequence number the small chunks of the stream have been merged.
  sealed_seq bigint NOT NULL DEFAULT 0,
  -- Samples below this sequence number were swept: those outside of roasts are gone.
  swept_seq bigint NOT NULL DEFAULT 0,
  -- About when the oldest sample arrived that was not swept.
  unswept_since timestamptz NOT NULL DEFAULT now(),
  -- Counts the changes of the layouts: caches of curves and of stream heads are valid for one value.
  layouts_rev integer NOT NULL DEFAULT 0,
  -- Source of an uploaded recording: a second upload of the same file or curve is noticed. `curve_sha256` is over times and
  -- bean temperatures: the same roast saved under another name, or exported and imported again, has the same.
  file_name text,
  file_sha256 bytea,
  curve_sha256 bytea,
  -- The program that wrote an uploaded file; null for a board's recording, and where an earlier version stored nothing of it.
  file_format text,
  -- Channel → {label, unit}: its name in the file.
  channel_labels jsonb,
  UNIQUE (machine_id, epoch)
);
-- The newest stream of a machine, read whenever a live stream opens.
CREATE INDEX recordings_by_machine ON recordings (machine_id, last_received_at DESC);
CREATE INDEX recordings_to_seal ON recordings (last_received_at)
  WHERE source = 'agent' AND upper(committed) - sealed_seq > 1800;
CREATE INDEX recordings_to_sweep ON recordings (unswept_since);
CREATE INDEX recordings_by_file ON recordings (file_sha256) WHERE file_sha256 IS NOT NULL;
CREATE INDEX recordings_by_curve ON recordings (curve_sha256) WHERE curve_sha256 IS NOT NULL;
COMMENT ON COLUMN recordings.committed IS
  'Sequence numbers that are in the database or will never come, without the newest samples: see committed_now()';
COMMENT ON COLUMN recordings.last_received_at IS 'May be a minute old';

-- A board whose disk fails continues in a stream with a fresh epoch, in memory. Its sequence numbers continue those of the
-- stream before, and it is stored in the same recording: a roast at that moment stays one roast.
CREATE TABLE continuing_streams (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  epoch text NOT NULL,
  -- The first sequence number of the stream that is stored in this recording.
  from_seq bigint NOT NULL,
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  PRIMARY KEY (machine_id, epoch, from_seq)
);
CREATE INDEX continuing_streams_recording ON continuing_streams (recording_id, from_seq);

-- The recording of each entry of a stream: from from_seq up to, not including, until_seq.
CREATE VIEW stream_parts AS
  SELECT p.machine_id, p.epoch, p.recording_id, p.from_seq,
         (SELECT min(o.from_seq) FROM continuing_streams o
           WHERE o.recording_id = p.recording_id AND o.epoch <> p.epoch AND o.from_seq > p.from_seq) AS until_seq
  FROM (
    SELECT machine_id, epoch, id AS recording_id, 0::bigint AS from_seq FROM recordings WHERE epoch IS NOT NULL
    UNION ALL
    SELECT machine_id, epoch, recording_id, from_seq FROM continuing_streams) p;

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

-- The channels of chunks. No unique key beyond the primary one: the recording's lock keeps a layout from being stored twice, and two
-- rows of one layout, as earlier versions stored them, are read alike.
CREATE TABLE recording_layouts (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  layout_no smallint NOT NULL,
  map_id text NOT NULL,
  map_rev integer NOT NULL,
  -- The names with their right meaning, for all readers; a batch finds its layout by the names that were sent.
  channels text[] NOT NULL,
  sent_channels text[],
  PRIMARY KEY (recording_id, layout_no)
);
CREATE INDEX recording_layouts_exchanged ON recording_layouts (recording_id) WHERE sent_channels IS NOT NULL;
COMMENT ON COLUMN recording_layouts.sent_channels IS 'The names that the board sent, where `channels` has bean and exhaust exchanged';

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
  in_time_index boolean NOT NULL DEFAULT true,
  PRIMARY KEY (recording_id, first_seq)
);
-- Finds what was recorded at a moment without reading what lies before it. The small chunks of online boards enter it when they are
-- sealed: for such a chunk it was 39 % of the CPU of its insert and 30 % of its WAL, and sealing removes the chunk some minutes later.
CREATE INDEX recording_chunks_by_time ON recording_chunks (recording_id, boot_no, mono_ms) WHERE in_time_index;
COMMENT ON COLUMN recording_chunks.in_time_index IS
  'False for small chunks of an agent''s recording that are not sealed yet: all of them are at recordings.sealed_seq or after it';

-- Chunks behind `committed` continue it without a gap: the end of the last one is the end of what is committed.
CREATE FUNCTION committed_now(r recordings) RETURNS int8multirange LANGUAGE sql STABLE AS $$
  SELECT r.committed + coalesce(
    (SELECT int8multirange(int8range(upper(r.committed), c.first_seq + cardinality(c.dt_ms)))
     FROM recording_chunks c WHERE c.recording_id = r.id AND c.first_seq >= upper(r.committed)
     ORDER BY c.first_seq DESC LIMIT 1), '{}')
$$;

-- Stretches below `recordings.swept_seq` to sweep again: a roast covers them no more, or samples of them arrived late.
CREATE TABLE sample_sweeps (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  -- Not included.
  to_seq bigint NOT NULL,
  -- When the samples arrived; -infinity when they are old.
  received_at timestamptz NOT NULL
);
CREATE INDEX sample_sweeps_by_age ON sample_sweeps (received_at);
CREATE INDEX sample_sweeps_by_recording ON sample_sweeps (recording_id);

-- Journal events about the recording itself: the agent started ('start'), or entries will never come ('gap'). They explain the
-- pauses of a curve. A gap is noted in the recording in which it lies, whichever stream reports it: the number of the reporting entry
-- may stand there for an entry of another stream.
CREATE TABLE recording_notes (
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  epoch text NOT NULL,
  event_seq bigint NOT NULL,
  boot_no smallint NOT NULL,
  mono_ms bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('start', 'gap')),
  agent_version text CHECK ((agent_version IS NOT NULL) = (kind = 'start')),
  -- Both included.
  from_seq bigint,
  to_seq bigint CHECK (to_seq >= from_seq),
  reason text CHECK (reason IN ('disk_full', 'damaged', 'cap_reached')),
  PRIMARY KEY (recording_id, epoch, event_seq),
  CHECK ((from_seq IS NOT NULL AND to_seq IS NOT NULL AND reason IS NOT NULL) = (kind = 'gap'))
);
CREATE INDEX recording_notes_gaps ON recording_notes (recording_id, to_seq) WHERE kind = 'gap';
COMMENT ON COLUMN recording_notes.epoch IS 'The stream of the entry event_seq, which says it';
COMMENT ON COLUMN recording_notes.from_seq IS 'In the numbers of this recording, also where another one holds the entry that says it';

-- An uploaded file as it was, gzip: it can be read again, and a file of Artisan keeps the keys that the portal does not use.
CREATE TABLE recording_files (
  recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
  format text NOT NULL,
  -- Units, charge and drop that a person set, as the contract's `UploadChoices`.
  choices jsonb NOT NULL,
  content bytea NOT NULL
);
-- The content is compressed already.
ALTER TABLE recording_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- Recordings of files that state a local time, which earlier versions read as UTC. `shifted`: a person had them corrected, by
-- this much; `right`: a person said that they are right as they are.
CREATE TABLE times_to_check (
  recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'shifted', 'right')),
  shifted_ms bigint NOT NULL DEFAULT 0,
  changed_by uuid REFERENCES users ON DELETE SET NULL,
  changed_at timestamptz
);

-- Ingest ---------------------------------------------------------------------------------------------------------

-- Instances of the api that divide the journals. Each renews its row every second. Not logged: the rows are worth nothing after a
-- crash, and renewing them needs no sync of the disk.
CREATE UNLOGGED TABLE ingest_instances (
  id text PRIMARY KEY,
  seen_at timestamptz NOT NULL
);

-- Messages that could not be read or stored, with the reason. They are acknowledged so that a board does not resend them for
-- ever. A message is kept once however often it comes, and can be replayed.
CREATE TABLE quarantine (
  id uuid PRIMARY KEY,
  -- Hash of serial number and payload; null for rows of versions before this column, which may hold repeats.
  key bytea,
  received_at timestamptz NOT NULL DEFAULT now(),
  last_received_at timestamptz,
  times integer NOT NULL DEFAULT 1,
  topic text NOT NULL,
  serial_number text,
  -- The machine at that time, if there was one: its messages are not stored for a later machine of the same number.
  machine_id uuid,
  reason text NOT NULL,
  payload bytea NOT NULL
);
CREATE INDEX quarantine_by_time ON quarantine (received_at DESC);
CREATE UNIQUE INDEX quarantine_by_key ON quarantine (key);
CREATE INDEX quarantine_by_serial ON quarantine (serial_number, received_at DESC);

-- How many messages were dropped from the quarantine because it was full. The audit log gets a summary, not a row for each.
CREATE TABLE quarantine_drops (
  serial_number text PRIMARY KEY,
  dropped bigint NOT NULL,
  audited bigint NOT NULL DEFAULT 0,
  audited_at timestamptz
);

-- Roasts ---------------------------------------------------------------------------------------------------------

CREATE TABLE roasts (
  id uuid PRIMARY KEY,
  recording_id uuid REFERENCES recordings,
  machine_id uuid REFERENCES machines,
  owner_id uuid NOT NULL REFERENCES users,
  status text NOT NULL CHECK (status IN ('in_progress', 'completed', 'aborted')),
  -- The status by the board or the sweeper alone, without what a person set for charge and drop. Null: the same as status.
  recorded_status text CHECK (recorded_status IN ('in_progress', 'completed', 'aborted')),
  -- Sequence number of the event that last set the status, so that a late earlier event does not undo it.
  status_seq bigint,
  -- Window on the recording: monotonic ms of charge and drop within one boot, and the samples nearest to them.
  boot_no smallint,
  charge_mono_ms bigint,
  drop_mono_ms bigint,
  charge_seq bigint,
  drop_seq bigint,
  start_time timestamptz NOT NULL,
  made_by_hand boolean NOT NULL DEFAULT false,
  -- The plan that the board took at the charge. No foreign key: the plan may be deleted by then.
  board_plan_id uuid,
  -- What was roasted and by whom: people edit these.
  roast_number text,
  -- The roastery's own number, from `batch_numbers`.
  batch_number text,
  -- The number that another program gave an imported roast, with its prefix: `P5-42`.
  source_batch text,
  -- False: it has the number of the program that it comes from and takes none of the roastery's.
  is_numbered boolean NOT NULL DEFAULT true,
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
  -- Whether the green weight is deducted from the lot: decided when the roast ends, null until then. Later changes of the
  -- recipe, and edits of the roast, do not change it.
  deducts boolean,
  -- Derived from marks and samples by one verb whenever either changes.
  duration_seconds double precision,
  charge_temp double precision,
  drop_temp double precision,
  first_crack_time double precision,
  first_crack_temp double precision,
  -- Whether the first crack that counts was set by a person or the machine, not by the detector: predictions use only those.
  first_crack_told boolean NOT NULL DEFAULT false,
  development_time_seconds double precision,
  development_time_ratio double precision,
  created_at timestamptz NOT NULL DEFAULT now(),
  revision integer NOT NULL DEFAULT 1,
  shown_number text GENERATED ALWAYS AS (coalesce(roast_number, 'PR-' || left(id::text, 8))) STORED,
  -- The number that people say stands wherever a roast is named: of its batch, else of the program that it comes from, else its own.
  said_number text GENERATED ALWAYS AS (
    coalesce(batch_number, source_batch, roast_number, 'PR-' || left(id::text, 8))) STORED,
  -- Sorted as people count: each run of digits has ten places, so that R-9 comes before R-10.
  said_order text GENERATED ALWAYS AS (
    regexp_replace(
      regexp_replace(coalesce(batch_number, source_batch, roast_number, 'PR-' || left(id::text, 8)), '(\d+)', '0000000000\1', 'g'),
      '\d*(\d{10})', '\1', 'g')) STORED,
  -- Searched by people, beside the names of the machine and of people.
  found_by text GENERATED ALWAYS AS (
    coalesce(roast_number, 'PR-' || left(id::text, 8)) || ' ' || coalesce(batch_number, '') || ' ' || coalesce(source_batch, '') ||
    ' ' || coalesce(coffee_name, '') || ' ' || coalesce(coffee_origin, '') || ' ' || coalesce(profile_name, '') ||
    ' ' || coalesce(roasted_by, '')) STORED
);
-- Each of these indexes makes a statement of a page fast that is 2 to 100 times slower without it (npm run bench -- scale).
CREATE INDEX roasts_by_start ON roasts (start_time DESC, id DESC);
CREATE INDEX roasts_by_owner ON roasts (owner_id, start_time DESC, id DESC);
-- Also the total weight of each machine.
CREATE INDEX roasts_by_machine ON roasts (machine_id, start_time DESC, id DESC) INCLUDE (batch_size_kg);
CREATE INDEX roasts_by_status ON roasts (status, start_time DESC, id DESC);
CREATE INDEX roasts_running ON roasts (machine_id) WHERE status = 'in_progress';
CREATE UNIQUE INDEX roasts_by_batch_number ON roasts (batch_number);
CREATE INDEX roasts_by_lot ON roasts (lot_id) WHERE lot_id IS NOT NULL;
CREATE INDEX roasts_by_recording ON roasts (recording_id, charge_seq) WHERE recording_id IS NOT NULL;
-- The roasts without a charge that cover a stretch of a recording.
CREATE INDEX roasts_without_charge ON roasts (recording_id, status_seq)
  WHERE charge_seq IS NULL AND recording_id IS NOT NULL;
-- The sweeper asks for roasts that still wait for a number.
CREATE INDEX roasts_without_number ON roasts (start_time, id) WHERE batch_number IS NULL AND is_numbered;
-- Sorting the list. In descending order roasts without the value come last, so that order needs an index of its own.
CREATE INDEX roasts_by_number ON roasts (said_order, id);
CREATE INDEX roasts_by_coffee ON roasts (coffee_name, id);
CREATE INDEX roasts_by_coffee_down ON roasts (coffee_name DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_origin ON roasts (coffee_origin, id);
CREATE INDEX roasts_by_origin_down ON roasts (coffee_origin DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_recipe_name ON roasts (profile_name, id);
CREATE INDEX roasts_by_recipe_name_down ON roasts (profile_name DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_batch ON roasts (batch_size_kg, id);
CREATE INDEX roasts_by_batch_down ON roasts (batch_size_kg DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_duration ON roasts (duration_seconds, id);
CREATE INDEX roasts_by_duration_down ON roasts (duration_seconds DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_drop_temp ON roasts (drop_temp, id);
CREATE INDEX roasts_by_drop_temp_down ON roasts (drop_temp DESC NULLS LAST, id DESC);
-- Filtering the list: each finds a small part of all roasts, newest first. A count by level reads the index alone.
CREATE INDEX roasts_by_level ON roasts (coalesce(roast_level, roast_level_target), start_time DESC, id DESC)
  INCLUDE (roast_level, roast_level_target, owner_id);
CREATE INDEX roasts_without_lot ON roasts (start_time DESC, id DESC) WHERE lot_id IS NULL;
CREATE INDEX roasts_without_development ON roasts (start_time DESC, id DESC) WHERE development_time_ratio IS NULL;
CREATE INDEX roasts_with_green ON roasts (start_time DESC, id DESC)
  WHERE deducts IS TRUE AND lot_id IS NOT NULL AND batch_size_kg IS NOT NULL;
CREATE INDEX roasts_without_green ON roasts (start_time DESC, id DESC)
  WHERE status <> 'in_progress' AND NOT (deducts IS TRUE AND lot_id IS NOT NULL AND batch_size_kg IS NOT NULL);
-- Roasts whose weight after roasting is still to be entered.
CREATE INDEX roasts_without_weight ON roasts (start_time DESC, id DESC)
  WHERE status = 'completed' AND end_weight_kg IS NULL;
-- The newest roasts of a recipe, and its best cupped one, without its other roasts.
CREATE INDEX roasts_by_profile ON roasts (profile_id, start_time DESC, id DESC) WHERE profile_id IS NOT NULL;
CREATE INDEX roasts_by_score ON roasts (profile_id, cupping_score DESC, start_time DESC)
  WHERE cupping_score IS NOT NULL AND status = 'completed';
-- A recipe's best cupped roast is its reference.
CREATE INDEX roasts_best_of_recipe ON roasts (profile_id, cupping_score DESC, start_time DESC) INCLUDE (id, owner_id)
  WHERE status = 'completed' AND cupping_score IS NOT NULL;
-- First cracks for predictions. Nearly empty, and most needed, where only the detector marks cracks.
CREATE INDEX roasts_cracks ON roasts (start_time DESC)
  WHERE first_crack_told AND first_crack_temp IS NOT NULL AND status = 'completed';

-- What a roast covers no more is swept again. Half an hour at 10 Hz is kept before and after a roast; a chunk has at most 600 samples.
CREATE FUNCTION sweep_uncovered_samples() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sample_sweeps (recording_id, from_seq, to_seq, received_at)
  SELECT r.id, s.first_seq - 18600, s.last_seq + 18600, '-infinity'
  FROM recordings r, LATERAL (
    SELECT coalesce(OLD.charge_seq, OLD.status_seq, 0) AS first_seq,
           coalesce(OLD.drop_seq, OLD.status_seq, OLD.charge_seq, 0) AS last_seq) s
  WHERE r.id = OLD.recording_id AND r.swept_seq > s.first_seq - 18600;
  RETURN NULL;
END $$;
CREATE TRIGGER roasts_deleted_uncover AFTER DELETE ON roasts
  FOR EACH ROW WHEN (OLD.recording_id IS NOT NULL) EXECUTE FUNCTION sweep_uncovered_samples();
CREATE TRIGGER roasts_moved_uncover AFTER UPDATE OF recording_id, charge_seq, drop_seq, status_seq ON roasts
  FOR EACH ROW WHEN (OLD.recording_id IS NOT NULL AND (
    OLD.recording_id IS DISTINCT FROM NEW.recording_id OR OLD.charge_seq IS DISTINCT FROM NEW.charge_seq
    OR OLD.drop_seq IS DISTINCT FROM NEW.drop_seq OR OLD.status_seq IS DISTINCT FROM NEW.status_seq))
  EXECUTE FUNCTION sweep_uncovered_samples();

-- Every statement about a mark is kept. Of the device's statements the highest event_seq of a kind counts; a person's newest
-- statement outranks the device's; taken_back means that the mark was withdrawn.
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

-- Marks as they were before their roast's channels were exchanged, to be restored with the same ids. While a roast has rows here,
-- further marks of its board's detector are stored here too.
CREATE TABLE replaced_marks (LIKE roast_marks INCLUDING DEFAULTS, PRIMARY KEY (id), UNIQUE (roast_id, recording_id, event_seq));

-- Roasts, and boards' roasts, whose marks have to follow the layouts of their recording.
CREATE TABLE marks_to_follow (
  roast_id uuid PRIMARY KEY,
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  due_at timestamptz NOT NULL DEFAULT now(),
  -- Above 0: done once, and due again because its samples may still arrive, or because it failed.
  times integer NOT NULL DEFAULT 0
);
CREATE INDEX marks_to_follow_due ON marks_to_follow (due_at);
CREATE INDEX marks_to_follow_recording ON marks_to_follow (recording_id);

CREATE TABLE roast_favorites (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  roast_id uuid NOT NULL REFERENCES roasts ON DELETE CASCADE,
  PRIMARY KEY (user_id, roast_id)
);

-- A deleted roast does not come back when a board sends it again.
CREATE TABLE roast_tombstones (
  roast_id uuid PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  deleted_by uuid,
  -- A discarded roast as it was: it can be restored. Null: it was deleted for good.
  kept jsonb
);

-- Roasts as boards reported them. Not each becomes a row of roasts: a person may have discarded it, merged it into another, or
-- made a roast of the same beans.
CREATE TABLE board_roasts (
  id uuid PRIMARY KEY,
  recording_id uuid NOT NULL REFERENCES recordings ON DELETE CASCADE,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  owner_id uuid NOT NULL,
  -- State and place of the event with the highest sequence number.
  state text NOT NULL CHECK (state IN ('in_progress', 'completed', 'aborted')),
  state_seq bigint NOT NULL,
  state_boot_no smallint NOT NULL,
  state_mono_ms bigint NOT NULL,
  -- Place of the event with the lowest sequence number.
  begin_seq bigint NOT NULL,
  begin_boot_no smallint NOT NULL,
  begin_mono_ms bigint NOT NULL,
  plan_id uuid
);
CREATE INDEX board_roasts_by_place ON board_roasts (recording_id, begin_seq);

-- The board's roasts whose marks a roast uses beside its own; after a split, those of its first half. `absorbs`: the board's
-- roast is no roast of its own any more. `said`: decided by a person (merged, split, discarded); otherwise it follows from the
-- rules in api/src/domains/roasts/same-beans.ts. No foreign keys: a person's decision outlives the rows.
CREATE TABLE roast_sources (
  roast_id uuid NOT NULL,
  board_roast_id uuid NOT NULL,
  absorbs boolean NOT NULL,
  said boolean NOT NULL,
  PRIMARY KEY (roast_id, board_roast_id)
);
CREATE INDEX roast_sources_by_board_roast ON roast_sources (board_roast_id);

-- Plans ----------------------------------------------------------------------------------------------------------

-- What goes into a machine next: waits for that machine's next charge.
CREATE TABLE planned_roasts (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  created_by uuid NOT NULL REFERENCES users,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Where it comes from: so far each was planned by a person.
  origin text NOT NULL DEFAULT 'person' CHECK (origin IN ('person')),
  -- In the roastery's time zone. The queue is kept in the order of the days.
  day date NOT NULL DEFAULT CURRENT_DATE,
  -- The order in which charges take plans.
  queue_place integer NOT NULL DEFAULT 0,
  batch_number text,
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  profile_id uuid REFERENCES profiles ON DELETE SET NULL,
  coffee_name text,
  batch_size_kg double precision CHECK (batch_size_kg > 0),
  roasted_by text,
  notes text,
  cancelled_at timestamptz,
  -- The roast that its charge began. An aborted roast releases its plan.
  roast_id uuid UNIQUE REFERENCES roasts ON DELETE SET NULL,
  bound_at timestamptz,
  -- The plan as it was when its roast began: the recipe may change afterwards.
  plan jsonb
);
CREATE INDEX planned_roasts_waiting ON planned_roasts (machine_id, queue_place, created_at, id)
  WHERE bound_at IS NULL AND cancelled_at IS NULL;
CREATE UNIQUE INDEX planned_roasts_by_batch_number ON planned_roasts (batch_number);

-- Batch numbers --------------------------------------------------------------------------------------------------

-- Batch numbers are what people say, print and search for. They are counted for the roastery, or for a machine that has a prefix.
-- The sequence makes no transaction wait for another: ingest holds recordings while it takes a number.
CREATE SEQUENCE roastery_batch_numbers;

CREATE TABLE batch_series (
  prefix text PRIMARY KEY,
  last bigint NOT NULL
);

-- Every number that was ever given. Rows are never deleted, so no number is given twice.
CREATE TABLE batch_numbers (
  batch_number text PRIMARY KEY,
  machine_id uuid REFERENCES machines ON DELETE SET NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  -- No foreign keys: the number outlives its plan and its roast.
  plan_id uuid,
  roast_id uuid,
  -- Of its plan or roast, when that was removed.
  coffee_name text,
  -- When the number was found to be counted in a transaction that failed: nothing was stored under it, and no other batch gets it.
  lost_at timestamptz
);
CREATE INDEX batch_numbers_by_time ON batch_numbers (given_at DESC, batch_number DESC);
CREATE INDEX batch_numbers_by_machine ON batch_numbers (machine_id, given_at DESC, batch_number DESC);
CREATE INDEX batch_numbers_counted ON batch_numbers ((batch_number::bigint)) WHERE batch_number ~ '^[0-9]+$';
CREATE INDEX batch_numbers_lost ON batch_numbers (given_at DESC) WHERE lost_at IS NOT NULL;

-- Looking for lost numbers costs what was counted since the last time: numbers of the roastery's sequence up to this one are
-- stored, given or lost.
CREATE TABLE batch_number_checks (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checked_to bigint NOT NULL DEFAULT 0
);
INSERT INTO batch_number_checks DEFAULT VALUES;

CREATE FUNCTION give_batch_number(for_machine uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  series text;
  counted bigint;
  given text;
BEGIN
  SELECT batch_prefix INTO series FROM machines WHERE id = for_machine;
  IF series IS NULL THEN
    given := nextval('roastery_batch_numbers')::text;
  ELSE
    INSERT INTO batch_series (prefix, last) VALUES (series, 1)
      ON CONFLICT (prefix) DO UPDATE SET last = batch_series.last + 1 RETURNING last INTO counted;
    given := series || '-' || counted;
  END IF;
  INSERT INTO batch_numbers (batch_number, machine_id) VALUES (given, for_machine);
  RETURN given;
END $$;

-- Imports of roasts ---------------------------------------------------------------------------------------------

-- An import of many files by one person: read and imported in the background, undone as a whole.
CREATE TABLE roast_imports (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'importing', 'done', 'undoing', 'undone')),
  finished_at timestamptz,
  machine_id uuid REFERENCES machines ON DELETE SET NULL,
  lot_id uuid REFERENCES lots ON DELETE SET NULL,
  takes_green boolean NOT NULL DEFAULT false,
  -- Of times that the files state without a zone. Null: the roastery's.
  time_zone text
);
CREATE INDEX roast_imports_by_user ON roast_imports (user_id, created_at DESC);
CREATE INDEX roast_imports_running ON roast_imports (created_at) WHERE state IN ('importing', 'undoing');

-- Its content is the upload of the same id, as long as there is one.
CREATE TABLE roast_import_files (
  id uuid PRIMARY KEY,
  import_id uuid NOT NULL REFERENCES roast_imports ON DELETE CASCADE,
  file_name text NOT NULL,
  size_bytes integer NOT NULL,
  file_sha256 bytea NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'read', 'refused', 'imported', 'undone')),
  -- Hosts whose import thread has begun the file, once for each try that did not end. A file that ends the thread is given up after
  -- three tries of one host: several apis may read the same file at the same time.
  begun_by text[] NOT NULL DEFAULT '{}',
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
  -- The time as it was read from the file: a `start_time` that differs was entered by a person, and stays when the file is read
  -- again in another zone.
  read_start_time timestamptz,
  -- The zone in which it was read; null where the file names its own, or has no time.
  time_zone text,
  -- The heads of a table, and whether its columns have to be assigned before it can be read.
  heads_key text,
  needs_columns boolean NOT NULL DEFAULT false,
  -- What the plausibility of the file is judged by, and whether a person accepted it all the same.
  figures jsonb,
  accepted boolean NOT NULL DEFAULT false,
  problem text,
  remarks text[] NOT NULL DEFAULT '{}',
  -- What the reader had to assume; `remarks` has it behind the problem in words.
  warnings text[] NOT NULL DEFAULT '{}',
  -- Decided by a person: true leaves it out, false imports it although it is a duplicate.
  left_out boolean,
  roast_id uuid,
  UNIQUE (import_id, file_name, file_sha256)
);
CREATE INDEX roast_import_files_waiting ON roast_import_files (import_id, id) WHERE state = 'waiting';
CREATE INDEX roast_import_files_by_curve ON roast_import_files (import_id, curve_sha256);

-- Roast files between upload and import. Kept for a day.
CREATE TABLE roast_uploads (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  file_name text NOT NULL,
  file_sha256 bytea NOT NULL,
  -- Units, charge and drop that a person set, as the contract's `UploadChoices`.
  choices jsonb NOT NULL DEFAULT '{}',
  -- The file of this id of an import of many.
  import_id uuid REFERENCES roast_imports ON DELETE CASCADE,
  -- The roast whose original it is: that roast is changed, and no second one is created.
  roast_id uuid REFERENCES roasts ON DELETE CASCADE
);
CREATE INDEX roast_uploads_by_user ON roast_uploads (user_id, created_at DESC);
CREATE INDEX roast_uploads_by_age ON roast_uploads (created_at);
CREATE INDEX roast_uploads_by_import ON roast_uploads (import_id) WHERE import_id IS NOT NULL;

-- The file in parts: one statement with 10 MB in it blocks the api's event loop for a tenth of a second.
CREATE TABLE roast_upload_parts (
  upload_id uuid NOT NULL REFERENCES roast_uploads ON DELETE CASCADE,
  part integer NOT NULL CHECK (part >= 0),
  content bytea NOT NULL,
  PRIMARY KEY (upload_id, part)
);
-- The content is compressed already.
ALTER TABLE roast_upload_parts ALTER COLUMN content SET STORAGE EXTERNAL;

-- The columns of tables of any program, as a person assigned them: for all files with these heads, in any order.
CREATE TABLE table_layouts (
  heads_key text PRIMARY KEY,
  columns jsonb NOT NULL,
  changed_by uuid REFERENCES users ON DELETE SET NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

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

-- Alarms ---------------------------------------------------------------------------------------------------------

-- Rules that raise alarms while a machine roasts, or while a recipe is roasted.
CREATE TABLE alarm_rules (
  id uuid PRIMARY KEY,
  machine_id uuid REFERENCES machines ON DELETE CASCADE,
  profile_id uuid REFERENCES profiles ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid REFERENCES users ON DELETE SET NULL,
  -- It applies to samples from this moment on.
  changed_at timestamptz NOT NULL DEFAULT now(),
  is_enabled boolean NOT NULL DEFAULT true,
  -- The mark from which on it is evaluated.
  armed_after text NOT NULL,
  -- As the contract's `AlarmCondition`.
  condition jsonb NOT NULL,
  message text NOT NULL,
  colour text NOT NULL CHECK (colour IN ('red', 'amber', 'green', 'blue')),
  sound boolean NOT NULL,
  push boolean NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CHECK ((machine_id IS NULL) <> (profile_id IS NULL))
);
CREATE INDEX alarm_rules_by_machine ON alarm_rules (machine_id) WHERE machine_id IS NOT NULL;
CREATE INDEX alarm_rules_by_profile ON alarm_rules (profile_id) WHERE profile_id IS NOT NULL;

CREATE TABLE roast_alarms (
  id uuid PRIMARY KEY,
  -- No foreign key: a roast that was discarded can be restored with its alarms.
  roast_id uuid NOT NULL,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('rule', 'frozen', 'silent')),
  -- What makes several instances and a restart raise it once: the rule, or the kind and the moment it began.
  occurrence text NOT NULL,
  -- No foreign key: the alarm outlives its rule.
  rule_id uuid,
  channel text,
  message text,
  colour text NOT NULL CHECK (colour IN ('red', 'amber', 'green', 'blue')),
  sound boolean NOT NULL,
  -- Whether it is sent to phones, and when an instance began to send it.
  push boolean NOT NULL DEFAULT false,
  pushed_at timestamptz,
  -- ms since the boot that the roast's charge lies in.
  mono_ms bigint NOT NULL,
  happened_at timestamptz NOT NULL,
  raised_at timestamptz NOT NULL DEFAULT now(),
  is_late boolean NOT NULL,
  cleared_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid REFERENCES users ON DELETE SET NULL,
  UNIQUE (roast_id, occurrence)
);
CREATE INDEX roast_alarms_by_time ON roast_alarms (raised_at DESC);
CREATE INDEX roast_alarms_to_push ON roast_alarms (raised_at) WHERE push AND pushed_at IS NULL;

-- Blends ---------------------------------------------------------------------------------------------------------

-- Of finished roasts.
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
  -- Null once the roast was deleted; its number and coffee stay.
  roast_id uuid REFERENCES roasts ON DELETE SET NULL,
  roast_number text NOT NULL,
  coffee_name text,
  roasted_at timestamptz,
  kg numeric(14, 6) NOT NULL CHECK (kg > 0),
  PRIMARY KEY (blend_id, place),
  UNIQUE (blend_id, roast_id)
);
CREATE INDEX blend_components_by_roast ON blend_components (roast_id) WHERE roast_id IS NOT NULL;

-- Searching ------------------------------------------------------------------------------------------------------

-- Trigrams find a word within a text by index. The extension comes with Postgres; where it may not be used, a search reads the
-- whole table, which is slower but correct.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX roasts_by_words ON roasts USING gin (found_by gin_trgm_ops);
  CREATE INDEX batch_numbers_by_words ON batch_numbers
    USING gin ((batch_number || ' ' || coalesce(coffee_name, '')) gin_trgm_ops);
  CREATE INDEX audit_log_by_words ON audit_log USING gin (actor gin_trgm_ops, action gin_trgm_ops, subject gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR undefined_object OR feature_not_supported THEN
  RAISE NOTICE 'no trigram indexes for searching: %', SQLERRM;
END
$$;

-- Notifications --------------------------------------------------------------------------------------------------

-- Every change of what a board must know about plans notifies all instances of the api, with the transaction. Plans change in
-- many places (people, charges, recipes, lots), so triggers do it.
CREATE FUNCTION announce_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('plans_changed', OLD.machine_id::text); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM pg_notify('plans_changed', NEW.machine_id::text); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER planned_roasts_announced AFTER INSERT OR UPDATE OR DELETE ON planned_roasts
  FOR EACH ROW EXECUTE FUNCTION announce_plans();

CREATE FUNCTION announce_plans_of_roast() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM planned_roasts WHERE roast_id = NEW.id) THEN
    PERFORM pg_notify('plans_changed', NEW.machine_id::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER roasts_end_plans AFTER UPDATE OF status ON roasts
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.machine_id IS NOT NULL)
  EXECUTE FUNCTION announce_plans_of_roast();

CREATE FUNCTION announce_plans_of_recipe() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('plans_changed', p.machine_id::text) FROM planned_roasts p
   WHERE p.profile_id = NEW.id AND p.bound_at IS NULL AND p.cancelled_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER profiles_change_plans AFTER UPDATE ON profiles
  FOR EACH ROW WHEN (OLD.revision IS DISTINCT FROM NEW.revision) EXECUTE FUNCTION announce_plans_of_recipe();

-- A new machine must not receive the retained plans of an earlier machine with its serial number; a board must learn that its
-- machine's full speed has changed, or that the machine was archived.
CREATE FUNCTION announce_plans_of_machine() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('plans_changed', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER machines_begin_without_plans AFTER INSERT ON machines
  FOR EACH ROW EXECUTE FUNCTION announce_plans_of_machine();
CREATE TRIGGER machines_change_plans AFTER UPDATE OF max_drum_rpm, archived_at ON machines
  FOR EACH ROW WHEN (OLD.max_drum_rpm IS DISTINCT FROM NEW.max_drum_rpm OR OLD.archived_at IS DISTINCT FROM NEW.archived_at)
  EXECUTE FUNCTION announce_plans_of_machine();

-- A rule that was changed applies to running roasts at once, on every instance of the api.
CREATE FUNCTION announce_alarm_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('alarm_rules_changed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER alarm_rules_announced AFTER INSERT OR UPDATE OR DELETE ON alarm_rules
  FOR EACH STATEMENT EXECUTE FUNCTION announce_alarm_rules();
