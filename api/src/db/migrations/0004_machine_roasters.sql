-- Who stands at a machine: named by its next roasts. The PIN lets people switch on a shared tablet; it grants nothing.
ALTER TABLE users ADD COLUMN pin_hash text;
ALTER TABLE machines ADD COLUMN roaster_id uuid REFERENCES users ON DELETE SET NULL;
ALTER TABLE machines ADD COLUMN roaster_since timestamptz CHECK ((roaster_since IS NULL) <= (roaster_id IS NULL));
