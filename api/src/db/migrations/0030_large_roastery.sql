-- Sorted from the end, where roasts without the value come last: an index in the other direction has them first.
CREATE INDEX roasts_by_coffee_down ON roasts (coffee_name DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_origin_down ON roasts (coffee_origin DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_recipe_name_down ON roasts (profile_name DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_batch_down ON roasts (batch_size_kg DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_duration_down ON roasts (duration_seconds DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_drop_temp_down ON roasts (drop_temp DESC NULLS LAST, id DESC);
CREATE INDEX roasts_by_level ON roasts (coalesce(roast_level, roast_level_target), start_time DESC, id DESC);
CREATE INDEX roasts_by_person ON roasts (roasted_by, start_time DESC, id DESC);

-- What a recipe is measured against: its best cupped roast.
CREATE INDEX roasts_best_of_recipe ON roasts (profile_id, cupping_score DESC, start_time DESC) INCLUDE (id, owner_id)
  WHERE status = 'completed' AND cupping_score IS NOT NULL;

-- The few movements that corrected an earlier one, and what roasts used lately: the run-out estimate of each lot.
CREATE INDEX lot_movements_edits ON lot_movements (roast_id) WHERE reason = 'roast_edit';
CREATE INDEX lot_movements_use ON lot_movements (lot_id, at) INCLUDE (kg)
  WHERE reason IN ('roast', 'roast_edit', 'roast_delete');

CREATE INDEX audit_log_by_action ON audit_log (action, at DESC, id DESC);

DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX audit_log_by_words ON audit_log USING gin (actor gin_trgm_ops, action gin_trgm_ops, subject gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
  RAISE NOTICE 'searching the audit log goes without an index: %', SQLERRM;
END
$$;
