-- Where an own map comes from, so that a correction of its source can name the maps that it concerns.
ALTER TABLE machine_maps ADD COLUMN origin text NOT NULL DEFAULT 'other'
  CHECK (origin IN ('copy', 'artisan_settings', 'other'));
-- Its bean and exhaust temperature may be exchanged: its owner is asked about them.
ALTER TABLE machine_maps ADD COLUMN check_channels boolean NOT NULL DEFAULT false;

UPDATE machine_maps SET origin = 'copy' WHERE based_on IS NOT NULL;
UPDATE machine_maps m SET origin = 'artisan_settings'
  FROM machine_map_revisions r
 WHERE r.map_id = m.id AND r.rev = 1 AND m.based_on IS NULL AND r.note ILIKE 'From %.aset';
-- These maps of the catalogue were right from their first revision on.
UPDATE machine_maps SET check_channels = true
 WHERE origin = 'artisan_settings'
    OR (origin = 'copy' AND split_part(based_on, '@', 1) NOT IN (
       'pratter-plc', 'primo-xr', 'probatone-one-probe', 'rm15', 'rm30', 'rm7', 'rolltech-el', 'santoker-1xpxr',
       'us-roaster-corp', 'vnt-pid'));

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
