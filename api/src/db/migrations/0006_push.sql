-- The key by which push services know this roastery, made at the first start.
CREATE TABLE push_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  public_key text NOT NULL,
  private_key text NOT NULL
);

-- Browsers to which a user wants alarms sent.
CREATE TABLE push_subscriptions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  endpoint text NOT NULL UNIQUE,
  p256dh text NOT NULL,
  auth text NOT NULL,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);

-- Alarms of rules that are sent to phones, and when an instance began to send them.
ALTER TABLE roast_alarms
  ADD COLUMN push boolean NOT NULL DEFAULT false,
  ADD COLUMN pushed_at timestamptz;
CREATE INDEX roast_alarms_to_push ON roast_alarms (raised_at) WHERE push AND pushed_at IS NULL;
