-- How the newest roasts of a machine went beside what its earlier ones teach; written anew when they are compared.
CREATE TABLE machine_departures (
  roast_id uuid PRIMARY KEY REFERENCES roasts ON DELETE CASCADE,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  -- °C of its turning point, and percent of its rate of rise.
  turn double precision NOT NULL,
  rate double precision NOT NULL
);
CREATE INDEX machine_departures_by_machine ON machine_departures (machine_id);
