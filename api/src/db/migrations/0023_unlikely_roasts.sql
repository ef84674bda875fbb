-- What the plausibility of a file is judged by, and whether a person accepted it all the same.
ALTER TABLE roast_import_files ADD COLUMN figures jsonb;
ALTER TABLE roast_import_files ADD COLUMN accepted boolean NOT NULL DEFAULT false;
