-- Pages and housekeeping that read all batch numbers, or all roasts, for a few of them.

-- Looking for lost numbers costs what was counted since the last time: numbers of the roastery's sequence up to this one are
-- stored, given or lost.
CREATE TABLE batch_number_checks (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  checked_to bigint NOT NULL DEFAULT 0
);
INSERT INTO batch_number_checks DEFAULT VALUES;
CREATE INDEX batch_numbers_counted ON batch_numbers ((batch_number::bigint)) WHERE batch_number ~ '^[0-9]+$';

CREATE INDEX batch_numbers_by_machine ON batch_numbers (machine_id, given_at DESC, batch_number DESC);
CREATE INDEX batch_numbers_lost ON batch_numbers (given_at DESC) WHERE lost_at IS NOT NULL;

-- Roasts whose weight after roasting is still to be entered.
CREATE INDEX roasts_without_weight ON roasts (start_time DESC, id DESC)
  WHERE status = 'completed' AND end_weight_kg IS NULL;
