-- What each broker retains, so that a connection to it publishes only what differs.

CREATE TABLE broker_memories (
  -- host:port where there are several
  broker text PRIMARY KEY,
  -- The broker retains this word as long as it has lost nothing.
  memory text NOT NULL,
  compared_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE retained_messages (
  topic text NOT NULL,
  broker text NOT NULL,
  hash text NOT NULL,
  PRIMARY KEY (topic, broker)
);
