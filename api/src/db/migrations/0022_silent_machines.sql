-- Since when a machine has not answered its board; the board repeats in its status that it does not.
ALTER TABLE machines ADD COLUMN silent_since timestamptz;

UPDATE machines SET silent_since = coalesce(last_seen_at, now()) WHERE status ->> 'machine_link' = 'failing';
