-- False for the roasts of an import of many files: they keep the numbers of the program that they come from, and take none of the
-- roastery's own, which go on where they were.
ALTER TABLE roasts ADD COLUMN is_numbered boolean NOT NULL DEFAULT true;

-- The sweeper asks for roasts that still wait for a number.
CREATE INDEX roasts_without_number ON roasts (start_time, id) WHERE batch_number IS NULL AND is_numbered;

-- A search finds the number of the other program too.
ALTER TABLE roasts DROP COLUMN found_by;
ALTER TABLE roasts ADD COLUMN found_by text GENERATED ALWAYS AS (
  coalesce(roast_number, 'PR-' || left(id::text, 8)) || ' ' || coalesce(batch_number, '') || ' ' || coalesce(source_batch, '') ||
  ' ' || coalesce(coffee_name, '') || ' ' || coalesce(coffee_origin, '') || ' ' || coalesce(profile_name, '') ||
  ' ' || coalesce(roasted_by, '')) STORED;
DO $$
BEGIN
  CREATE INDEX roasts_by_words ON roasts USING gin (found_by gin_trgm_ops);
EXCEPTION WHEN undefined_object THEN
  RAISE NOTICE 'no trigram index for searching: %', SQLERRM;
END
$$;
