-- A browser receives alarms as long as its session: so far only a sign-out ended it. Those of browsers without a session end now.
ALTER TABLE push_subscriptions ADD COLUMN session_id uuid REFERENCES sessions ON DELETE CASCADE;
UPDATE push_subscriptions p SET session_id = (
  SELECT s.id FROM sessions s WHERE s.user_id = p.user_id AND s.user_agent IS NOT DISTINCT FROM left(p.user_agent, 300)
   ORDER BY s.last_seen_at DESC, s.id LIMIT 1);
DELETE FROM push_subscriptions WHERE session_id IS NULL;
ALTER TABLE push_subscriptions ALTER COLUMN session_id SET NOT NULL;
CREATE INDEX push_subscriptions_by_session ON push_subscriptions (session_id);

-- A wall link ends with the person who made it.
ALTER TABLE wall_links DROP CONSTRAINT wall_links_created_by_fkey,
  ADD CONSTRAINT wall_links_created_by_fkey FOREIGN KEY (created_by) REFERENCES users ON DELETE CASCADE;

-- Until when the person has seen that their PIN was locked.
ALTER TABLE users ADD COLUMN pin_locks_seen_at timestamptz;
