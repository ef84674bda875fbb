-- Batch numbers are what people say, print and search for. They are counted for the roastery, or for a machine that has a prefix.
-- The sequence makes no transaction wait for another: ingest holds recordings while it takes a number.
CREATE SEQUENCE roastery_batch_numbers;
CREATE TABLE batch_series (
  prefix text PRIMARY KEY,
  last bigint NOT NULL
);
ALTER TABLE machines ADD COLUMN batch_prefix text CHECK (batch_prefix ~ '^[A-Z][A-Z0-9]{0,5}$');
-- Two machines in use never count in one series.
CREATE UNIQUE INDEX machines_by_batch_prefix ON machines (batch_prefix) WHERE archived_at IS NULL;

-- Every number that was ever given. Rows are never deleted, so no number is given twice.
CREATE TABLE batch_numbers (
  batch_number text PRIMARY KEY,
  machine_id uuid REFERENCES machines ON DELETE SET NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  -- No foreign keys: the number outlives its plan and its roast.
  plan_id uuid,
  roast_id uuid,
  -- Of its plan or roast, when that was removed.
  coffee_name text
);
CREATE INDEX batch_numbers_by_time ON batch_numbers (given_at DESC, batch_number DESC);

CREATE FUNCTION give_batch_number(for_machine uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  series text;
  counted bigint;
  given text;
BEGIN
  SELECT batch_prefix INTO series FROM machines WHERE id = for_machine;
  IF series IS NULL THEN
    given := nextval('roastery_batch_numbers')::text;
  ELSE
    INSERT INTO batch_series (prefix, last) VALUES (series, 1)
      ON CONFLICT (prefix) DO UPDATE SET last = batch_series.last + 1 RETURNING last INTO counted;
    given := series || '-' || counted;
  END IF;
  INSERT INTO batch_numbers (batch_number, machine_id) VALUES (given, for_machine);
  RETURN given;
END $$;

ALTER TABLE planned_roasts ADD COLUMN batch_number text;
ALTER TABLE roasts ADD COLUMN batch_number text;

-- Roasts so far in the order in which they were roasted, then the plans that wait.
INSERT INTO batch_numbers (batch_number, machine_id, given_at, roast_id)
  SELECT row_number() OVER (ORDER BY start_time, id), machine_id, start_time, id FROM roasts;
UPDATE roasts r SET batch_number = b.batch_number FROM batch_numbers b WHERE b.roast_id = r.id;
SELECT setval('roastery_batch_numbers', greatest(1, count(*)), count(*) > 0) FROM batch_numbers;
UPDATE planned_roasts p SET batch_number = r.batch_number FROM roasts r WHERE r.id = p.roast_id;
UPDATE planned_roasts SET batch_number = give_batch_number(machine_id) WHERE bound_at IS NULL AND cancelled_at IS NULL;
UPDATE batch_numbers b SET plan_id = p.id FROM planned_roasts p WHERE p.batch_number = b.batch_number;

CREATE UNIQUE INDEX roasts_by_batch_number ON roasts (batch_number);
CREATE UNIQUE INDEX planned_roasts_by_batch_number ON planned_roasts (batch_number);

-- A search finds the number too.
ALTER TABLE roasts DROP COLUMN found_by;
ALTER TABLE roasts ADD COLUMN found_by text GENERATED ALWAYS AS (
  coalesce(roast_number, 'PR-' || left(id::text, 8)) || ' ' || coalesce(batch_number, '') || ' ' || coalesce(coffee_name, '') ||
  ' ' || coalesce(coffee_origin, '') || ' ' || coalesce(profile_name, '') || ' ' || coalesce(roasted_by, '')) STORED;
DO $$
BEGIN
  CREATE INDEX roasts_by_words ON roasts USING gin (found_by gin_trgm_ops);
EXCEPTION WHEN undefined_object THEN
  RAISE NOTICE 'no trigram index for searching: %', SQLERRM;
END
$$;

-- The order of a machine's queue; plans added before have 0 and keep their order.
ALTER TABLE planned_roasts ADD COLUMN queue_place integer NOT NULL DEFAULT 0;
DROP INDEX planned_roasts_waiting;
CREATE INDEX planned_roasts_waiting ON planned_roasts (machine_id, queue_place, created_at, id)
  WHERE bound_at IS NULL AND cancelled_at IS NULL;
