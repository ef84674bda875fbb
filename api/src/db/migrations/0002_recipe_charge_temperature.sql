-- °C of the empty drum at which a recipe is charged; without one the cockpit shows the drum's temperature alone.
ALTER TABLE profiles ADD COLUMN target_charge_temp double precision;
