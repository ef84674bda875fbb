-- The newest roasts of a recipe, and its best cupped one, without its other roasts.
DROP INDEX roasts_by_profile;
CREATE INDEX roasts_by_profile ON roasts (profile_id, start_time DESC, id DESC) WHERE profile_id IS NOT NULL;
CREATE INDEX roasts_by_score ON roasts (profile_id, cupping_score DESC, start_time DESC)
  WHERE cupping_score IS NOT NULL AND status = 'completed';

-- Batch numbers by what people type.
DO $$
BEGIN
  CREATE INDEX batch_numbers_by_words ON batch_numbers
    USING gin ((batch_number || ' ' || coalesce(coffee_name, '')) gin_trgm_ops);
EXCEPTION WHEN undefined_object THEN
  RAISE NOTICE 'no trigram index for searching: %', SQLERRM;
END
$$;
