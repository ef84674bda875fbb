-- A number that was counted in a transaction which failed: nothing was stored under it, and no other batch gets it.
ALTER TABLE batch_numbers ADD COLUMN lost_at timestamptz;
