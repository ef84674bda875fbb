-- Roasts that took nothing from a lot, newest first: the other side of roasts_with_green.
CREATE INDEX roasts_without_green ON roasts (start_time DESC, id DESC)
  WHERE status <> 'in_progress' AND NOT (deducts IS TRUE AND lot_id IS NOT NULL AND batch_size_kg IS NOT NULL);
