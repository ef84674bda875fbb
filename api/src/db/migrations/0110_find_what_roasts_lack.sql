-- Filters by state, and by what a roast has or lacks: each finds a small part of all roasts, newest first.
CREATE INDEX roasts_by_status ON roasts (status, start_time DESC, id DESC);
CREATE INDEX roasts_without_lot ON roasts (start_time DESC, id DESC) WHERE lot_id IS NULL;
CREATE INDEX roasts_without_development ON roasts (start_time DESC, id DESC) WHERE development_time_ratio IS NULL;
CREATE INDEX roasts_with_green ON roasts (start_time DESC, id DESC)
  WHERE deducts IS TRUE AND lot_id IS NOT NULL AND batch_size_kg IS NOT NULL;

-- Counting a level needs nothing but the index when it holds what the expression is made of.
DROP INDEX roasts_by_level;
CREATE INDEX roasts_by_level ON roasts (coalesce(roast_level, roast_level_target), start_time DESC, id DESC)
  INCLUDE (roast_level, roast_level_target, owner_id);

-- What each machine has roasted in all.
CREATE INDEX roasts_sum_of_machine ON roasts (machine_id) INCLUDE (batch_size_kg);
