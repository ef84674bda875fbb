-- The first call of the board with the credential that its ticket was exchanged for: it is on the board's disk.
ALTER TABLE pairing_tickets ADD COLUMN confirmed_at timestamptz;
CREATE INDEX pairing_tickets_by_time ON pairing_tickets (created_at DESC, id DESC);

-- Which ticket a credential came from.
ALTER TABLE machine_credentials ADD COLUMN ticket_id uuid REFERENCES pairing_tickets ON DELETE SET NULL;
-- Those whose overlap ends: looked for every few seconds.
CREATE INDEX machine_credentials_ending ON machine_credentials (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
