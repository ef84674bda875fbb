-- A serial number that is registered anew must not find the plans of the machine before it; a board must hear that its
-- machine's full speed has changed, or that the machine is no longer in use.
CREATE FUNCTION announce_plans_of_machine() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('plans_changed', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER machines_begin_without_plans AFTER INSERT ON machines
  FOR EACH ROW EXECUTE FUNCTION announce_plans_of_machine();
CREATE TRIGGER machines_change_plans AFTER UPDATE OF max_drum_rpm, archived_at ON machines
  FOR EACH ROW WHEN (OLD.max_drum_rpm IS DISTINCT FROM NEW.max_drum_rpm OR OLD.archived_at IS DISTINCT FROM NEW.archived_at)
  EXECUTE FUNCTION announce_plans_of_machine();
