-- The number that another program gave an imported roast, with its prefix: `P5-42`.
ALTER TABLE roasts ADD COLUMN source_batch text;

-- An uploaded file of Artisan as it was, gzip: exported again, it has all the keys that the portal doesn't use.
CREATE TABLE recording_files (
  recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
  format text NOT NULL CHECK (format IN ('alog', 'artisan_json')),
  -- Units, charge and drop that a person set, as the contract's `UploadChoices`.
  choices jsonb NOT NULL,
  content bytea NOT NULL
);
-- The content is compressed already.
ALTER TABLE recording_files ALTER COLUMN content SET STORAGE EXTERNAL;
