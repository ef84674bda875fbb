-- Of times that the files of an import state without a zone. Null: the roastery's.
ALTER TABLE roast_imports ADD COLUMN time_zone text;

-- The time as it was read from the file: a `start_time` that differs was entered by a person, and stays when the file is read
-- again in another zone.
ALTER TABLE roast_import_files ADD COLUMN read_start_time timestamptz;
-- The zone in which it was read; null where the file names its own, or has no time.
ALTER TABLE roast_import_files ADD COLUMN time_zone text;
UPDATE roast_import_files SET read_start_time = start_time WHERE state = 'read';
