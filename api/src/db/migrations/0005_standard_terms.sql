-- A person decided that a roast has this source; the board's roast became a part of it.
ALTER TABLE roast_sources RENAME COLUMN said TO is_manual;
ALTER TABLE roast_sources RENAME COLUMN absorbs TO is_merged;
-- A person or the machine marked the first crack; it is no guess of the detector.
ALTER TABLE roasts RENAME COLUMN first_crack_told TO first_crack_observed;
ALTER TABLE roasts RENAME COLUMN said_order TO number_order;
ALTER TABLE roast_marks RENAME COLUMN taken_back TO is_withdrawn;
ALTER TABLE outgoing_mail RENAME COLUMN gave_up_at TO failed_at;
-- The hosts that began to read the file, once for each attempt.
ALTER TABLE roast_import_files RENAME COLUMN begun_by TO attempted_by;
