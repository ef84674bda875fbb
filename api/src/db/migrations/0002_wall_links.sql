-- Links that open the wall on a screen without an account. Only hashes are kept of the tokens of links and of their screens.
CREATE TABLE wall_links (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid REFERENCES users ON DELETE SET NULL,
  last_opened_at timestamptz
);
CREATE TABLE wall_screens (
  id uuid PRIMARY KEY,
  link_id uuid NOT NULL REFERENCES wall_links ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX wall_screens_by_link ON wall_screens (link_id);
