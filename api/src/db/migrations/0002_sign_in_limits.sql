-- Failed sign-ins by hashed account and by address; shared by all instances of the api. Times are ms since 1970.
CREATE UNLOGGED TABLE sign_in_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

CREATE INDEX audit_log_by_actor ON audit_log (actor_id, at DESC);
