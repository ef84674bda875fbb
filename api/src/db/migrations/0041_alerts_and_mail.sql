-- An alert is dismissed by each person for themselves. Restocking deletes the alert and with it who has seen it.
ALTER TABLE lot_alerts DROP COLUMN dismissed_at;
CREATE TABLE lot_alert_dismissals (
  lot_id uuid NOT NULL REFERENCES lot_alerts ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (lot_id, user_id)
);

-- Mail that is on its way: written in the transaction that it tells of or follows, sent afterwards, tried again with longer pauses.
CREATE TABLE outgoing_mail (
  id uuid PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now(),
  recipients text[] NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  gave_up_at timestamptz,
  last_error text
);
CREATE INDEX outgoing_mail_due ON outgoing_mail (next_attempt_at) WHERE sent_at IS NULL AND gave_up_at IS NULL;
CREATE INDEX outgoing_mail_by_age ON outgoing_mail (created_at);

-- Null until somebody was written to about the alert.
ALTER TABLE lot_alerts ADD COLUMN mailed_at timestamptz;
CREATE INDEX lot_alerts_to_mail ON lot_alerts (raised_at) WHERE mailed_at IS NULL;

-- Who is written to beside the administrators.
ALTER TABLE roastery_settings ADD COLUMN alert_email text;

-- An edit of what somebody else has changed meanwhile is noticed.
ALTER TABLE roastery_settings ADD COLUMN revision integer NOT NULL DEFAULT 1;
ALTER TABLE machines ADD COLUMN revision integer NOT NULL DEFAULT 1;
