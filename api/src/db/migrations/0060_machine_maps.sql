-- Machine maps of the people here; those of the catalogue are files. Every save is a revision, and every revision stays.
CREATE TABLE machine_maps (
  id text PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users,
  -- The newest one.
  rev integer NOT NULL CHECK (rev > 0),
  -- The map it began as a copy of, as `id` or `id@rev`.
  based_on text,
  created_at timestamptz NOT NULL DEFAULT now()
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

-- Which map a machine is read by, and what is set for its board beside it. `map` is both together, as it is pushed.
ALTER TABLE machines ADD COLUMN map_id text;
ALTER TABLE machines ADD COLUMN map_rev integer;
ALTER TABLE machines ADD COLUMN board_settings jsonb NOT NULL DEFAULT '{}';
-- Rises with every change of what is pushed; a board's status names the one it runs.
ALTER TABLE machines ADD COLUMN config_rev bigint NOT NULL DEFAULT 0;
ALTER TABLE machines ADD COLUMN config_changed_at timestamptz;
CREATE INDEX machines_by_map ON machines (map_id) WHERE map_id IS NOT NULL;
