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

-- `channels` are the names with their right meaning, for all readers; a batch finds its layout by the names that were sent.
ALTER TABLE recording_layouts ADD COLUMN sent_channels text[];
COMMENT ON COLUMN recording_layouts.sent_channels IS 'The names that the board sent, where `channels` has bean and exhaust exchanged';
-- The recording's lock keeps a layout from being stored twice. An api of a version before this one does not know the names that were
-- sent and stores it again; both rows then follow the statement.
ALTER TABLE recording_layouts DROP CONSTRAINT recording_layouts_recording_id_map_id_map_rev_channels_key;
CREATE INDEX recording_layouts_exchanged ON recording_layouts (recording_id) WHERE sent_channels IS NOT NULL;

-- Counts the changes of a recording's layouts: caches of curves and of stream heads are valid for one value.
ALTER TABLE recordings ADD COLUMN layouts_rev integer NOT NULL DEFAULT 0;

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
