-- Which runs of agents have connected with a machine's credential, newest last, as 'instance/session'. A run that connects again
-- after another one had its turn is a second board with the same credential.
ALTER TABLE machines ADD COLUMN board_connections text[] NOT NULL DEFAULT '{}';
ALTER TABLE machines ADD COLUMN credential_shared_at timestamptz;
