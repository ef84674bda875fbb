-- People who share a machine with its owner. A roaster sees it, plans, marks and edits its roasts; a viewer sees it.
CREATE TABLE machine_members (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  machine_id uuid NOT NULL REFERENCES machines ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('roaster', 'viewer')),
  added_at timestamptz NOT NULL DEFAULT now(),
  added_by uuid REFERENCES users ON DELETE SET NULL,
  PRIMARY KEY (user_id, machine_id)
);
CREATE INDEX machine_members_by_machine ON machine_members (machine_id);

-- Every user is then a roaster of every machine.
ALTER TABLE roastery_settings ADD COLUMN all_users_see_all_machines boolean NOT NULL DEFAULT false;
