-- Every uploaded file is kept as it was, gzip, and can be read again.
ALTER TABLE recording_files DROP CONSTRAINT recording_files_format_check;

-- The program that wrote an uploaded file; null for a board's recording, and where an earlier version stored nothing of it.
ALTER TABLE recordings ADD COLUMN file_format text;

-- The curves that a program writes, by their names.
UPDATE recordings c SET file_format = coalesce(
    (SELECT f.format FROM recording_files f WHERE f.recording_id = c.id),
    (SELECT min(f.format) FROM roasts r JOIN roast_import_files f ON f.roast_id = r.id WHERE r.recording_id = c.id),
    CASE
      WHEN l.labels @> '{Internal}' AND l.labels && '{Bean surface,Tower drum}' THEN 'stronghold'
      WHEN l.labels @> '{IBTS}' THEN 'roastime'
      WHEN l.labels @> '{BT,Moisture,Pressure}' THEN 'rubasse'
      WHEN l.labels @> '{Return air}' OR l.labels @> '{Inlet air,Stack}' THEN 'loring'
      WHEN l.labels && '{Above,Below}' OR l.labels @> '{Exhaust,Inlet}' THEN 'ikawa'
      WHEN l.labels @> '{Beans,Outlet}' THEN 'petroncini'
      WHEN l.labels @> '{BT,Heat}' AND c.file_name ~* '\.json$' THEN 'hibean'
      WHEN l.labels @> '{BT,SV}' OR l.labels @> '{BT,Heat,Air}' THEN 'kaleido'
      WHEN c.file_name ~* '\.klog$' THEN 'kaffelogic'
      WHEN c.file_name ~* '\.xlsx?$' AND l.labels @> '{BT}' THEN 'xlsx'
      WHEN c.file_name ~* '\.xlsx?$' AND NOT l.labels @> '{Bean temp}' THEN 'cropster'
      WHEN l.labels @> '{BT,ET}' AND c.file_name ~* '\.(csv|tsv|txt)$' THEN 'csv'
    END)
  FROM (SELECT id, ARRAY(SELECT value->>'label' FROM jsonb_each(coalesce(channel_labels, '{}'))) AS labels FROM recordings) l
 WHERE l.id = c.id AND c.source = 'upload';

-- Recordings of files that state a local time, which earlier versions read as UTC. `shifted`: a person had them corrected, by
-- this much; `right`: a person said that they are right as they are.
CREATE TABLE times_to_check (
  recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'shifted', 'right')),
  shifted_ms bigint NOT NULL DEFAULT 0,
  changed_by uuid REFERENCES users ON DELETE SET NULL,
  changed_at timestamptz
);
INSERT INTO times_to_check (recording_id)
  SELECT id FROM recordings
   WHERE source = 'upload'
     AND (file_format IN ('csv', 'xlsx', 'cropster', 'kaleido', 'loring', 'ikawa', 'petroncini', 'hibean')
       OR file_format = 'roastime' AND file_name ~* '\.csv$');
