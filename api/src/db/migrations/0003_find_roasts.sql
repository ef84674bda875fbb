-- Which samples belong to a roast, asked when old ones are removed.
CREATE INDEX roasts_by_recording ON roasts (recording_id, charge_seq) WHERE recording_id IS NOT NULL;
-- The newest stream of a machine, asked whenever somebody begins to watch it.
CREATE INDEX recordings_by_machine ON recordings (machine_id, last_received_at DESC);

-- What a person may type to find a roast, beside the names of its machine and of people.
ALTER TABLE roasts
  ADD COLUMN shown_number text GENERATED ALWAYS AS (coalesce(roast_number, 'PR-' || left(id::text, 8))) STORED,
  ADD COLUMN found_by text GENERATED ALWAYS AS (
    coalesce(roast_number, 'PR-' || left(id::text, 8)) || ' ' || coalesce(coffee_name, '') || ' ' ||
    coalesce(coffee_origin, '') || ' ' || coalesce(profile_name, '') || ' ' || coalesce(roasted_by, '')) STORED;

CREATE INDEX roasts_by_number ON roasts (shown_number, id);
CREATE INDEX roasts_by_coffee ON roasts (coffee_name, id);
CREATE INDEX roasts_by_origin ON roasts (coffee_origin, id);
CREATE INDEX roasts_by_recipe_name ON roasts (profile_name, id);
CREATE INDEX roasts_by_batch ON roasts (batch_size_kg, id);
CREATE INDEX roasts_by_duration ON roasts (duration_seconds, id);
CREATE INDEX roasts_by_drop_temp ON roasts (drop_temp, id);

-- Trigrams find a word within a text by index. The extension comes with Postgres; where it may not be used, searching reads
-- the table instead, which is slower and right all the same.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX roasts_by_words ON roasts USING gin (found_by gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
  RAISE NOTICE 'searching roasts goes without an index: %', SQLERRM;
END
$$;
