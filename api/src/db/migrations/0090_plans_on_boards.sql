-- What was planned, as it stood when its roast began: the recipe may change afterwards.
ALTER TABLE planned_roasts ADD COLUMN plan jsonb;

-- The plan that the board says its charge took. No reference: it may be gone by then.
ALTER TABLE roasts ADD COLUMN board_plan_id uuid;

-- Whatever changes what a board is to be told of plans says so to every instance of the api, with the transaction. Plans
-- change in many places (people, charges, recipes, lots): here none can forget it.
CREATE FUNCTION announce_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('plans_changed', OLD.machine_id::text); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM pg_notify('plans_changed', NEW.machine_id::text); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER planned_roasts_announced AFTER INSERT OR UPDATE OR DELETE ON planned_roasts
  FOR EACH ROW EXECUTE FUNCTION announce_plans();

CREATE FUNCTION announce_plans_of_roast() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM planned_roasts WHERE roast_id = NEW.id) THEN
    PERFORM pg_notify('plans_changed', NEW.machine_id::text);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER roasts_end_plans AFTER UPDATE OF status ON roasts
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status AND NEW.machine_id IS NOT NULL)
  EXECUTE FUNCTION announce_plans_of_roast();

CREATE FUNCTION announce_plans_of_recipe() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('plans_changed', p.machine_id::text) FROM planned_roasts p
   WHERE p.profile_id = NEW.id AND p.bound_at IS NULL AND p.cancelled_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER profiles_change_plans AFTER UPDATE ON profiles
  FOR EACH ROW WHEN (OLD.revision IS DISTINCT FROM NEW.revision) EXECUTE FUNCTION announce_plans_of_recipe();
