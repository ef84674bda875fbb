-- A board keeps what it recorded for another owner sealed until an admin confirms that it may be sent to this one.
CREATE TABLE history_restores (
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  -- Of the stream on the board.
  epoch text NOT NULL,
  -- The owner at the confirmation: it counts for no other.
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  confirmed_by uuid REFERENCES users ON DELETE SET NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (machine_id, epoch, owner_id)
);
