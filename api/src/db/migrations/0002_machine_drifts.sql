-- Changes of a machine's probes and burner that its own roasts show.
CREATE TABLE machine_drifts (
  id uuid PRIMARY KEY,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('bean_probe', 'exhaust_probe', 'burner')),
  -- °C that the probe reads more than before, or percent that the burner gives more at the same setting, and its standard deviation.
  change double precision NOT NULL,
  deviation double precision NOT NULL,
  -- When the first roast with it began.
  since timestamptz NOT NULL,
  found_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX machine_drifts_by_machine ON machine_drifts (machine_id, since DESC);

-- Who has read of it.
CREATE TABLE machine_drift_dismissals (
  drift_id uuid NOT NULL REFERENCES machine_drifts ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  PRIMARY KEY (drift_id, user_id)
);

-- When its roasts were last compared.
ALTER TABLE machines ADD COLUMN drift_watched_at timestamptz;
