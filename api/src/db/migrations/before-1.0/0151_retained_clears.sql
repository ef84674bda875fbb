-- Serial numbers whose retained messages on the broker belong to a machine that was deleted: they are cleared when the broker
-- can be reached, and before anything is published for a new machine of that number.
CREATE TABLE retained_clears (
  serial_number text PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now()
);
