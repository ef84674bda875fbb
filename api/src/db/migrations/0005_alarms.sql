-- Rules that raise alarms while a machine roasts, or while a recipe is roasted.
CREATE TABLE alarm_rules (
  id uuid PRIMARY KEY,
  machine_id uuid REFERENCES machines ON DELETE CASCADE,
  profile_id uuid REFERENCES profiles ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by uuid REFERENCES users ON DELETE SET NULL,
  -- It applies to samples from this moment on.
  changed_at timestamptz NOT NULL DEFAULT now(),
  is_enabled boolean NOT NULL DEFAULT true,
  -- The mark from which on it is evaluated.
  armed_after text NOT NULL,
  -- As the contract's `AlarmCondition`.
  condition jsonb NOT NULL,
  message text NOT NULL,
  colour text NOT NULL CHECK (colour IN ('red', 'amber', 'green', 'blue')),
  sound boolean NOT NULL,
  push boolean NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CHECK ((machine_id IS NULL) <> (profile_id IS NULL))
);
CREATE INDEX alarm_rules_by_machine ON alarm_rules (machine_id) WHERE machine_id IS NOT NULL;
CREATE INDEX alarm_rules_by_profile ON alarm_rules (profile_id) WHERE profile_id IS NOT NULL;

CREATE TABLE roast_alarms (
  id uuid PRIMARY KEY,
  -- No foreign key: a roast that was discarded can be restored with its alarms.
  roast_id uuid NOT NULL,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('rule', 'frozen', 'silent')),
  -- What makes several instances and a restart raise it once: the rule, or the kind and the moment it began.
  occurrence text NOT NULL,
  -- No foreign key: the alarm outlives its rule.
  rule_id uuid,
  channel text,
  message text,
  colour text NOT NULL CHECK (colour IN ('red', 'amber', 'green', 'blue')),
  sound boolean NOT NULL,
  -- ms since the boot that the roast's charge lies in.
  mono_ms bigint NOT NULL,
  happened_at timestamptz NOT NULL,
  raised_at timestamptz NOT NULL DEFAULT now(),
  is_late boolean NOT NULL,
  cleared_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid REFERENCES users ON DELETE SET NULL,
  UNIQUE (roast_id, occurrence)
);
CREATE INDEX roast_alarms_by_time ON roast_alarms (raised_at DESC);

-- A rule that was changed applies to running roasts at once, on every instance of the api.
CREATE FUNCTION announce_alarm_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('alarm_rules_changed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER alarm_rules_announced AFTER INSERT OR UPDATE OR DELETE ON alarm_rules
  FOR EACH STATEMENT EXECUTE FUNCTION announce_alarm_rules();
