-- The number that people say stands wherever a roast is named: of its batch, else of the program that it comes from, else its own.
ALTER TABLE roasts
  ADD COLUMN said_number text GENERATED ALWAYS AS (
    coalesce(batch_number, source_batch, roast_number, 'PR-' || left(id::text, 8))) STORED,
  -- Sorted as people count: each run of digits has ten places, so that R-9 comes before R-10.
  ADD COLUMN said_order text GENERATED ALWAYS AS (
    regexp_replace(
      regexp_replace(coalesce(batch_number, source_batch, roast_number, 'PR-' || left(id::text, 8)), '(\d+)', '0000000000\1', 'g'),
      '\d*(\d{10})', '\1', 'g')) STORED;
DROP INDEX roasts_by_number;
CREATE INDEX roasts_by_number ON roasts (said_order, id);

-- A planned roast is of a day in the roastery's time zone. Its place in the queue stays the order in which charges take it; the queue is
-- kept in the order of the days. `origin` says where it comes from: so far each was planned by a person.
ALTER TABLE planned_roasts
  ADD COLUMN day date,
  ADD COLUMN origin text NOT NULL DEFAULT 'person' CHECK (origin IN ('person'));
UPDATE planned_roasts SET day = (
  CASE WHEN bound_at IS NULL AND cancelled_at IS NULL THEN now() ELSE created_at END
  AT TIME ZONE coalesce((SELECT time_zone FROM roastery_settings), 'UTC'))::date;
ALTER TABLE planned_roasts ALTER COLUMN day SET DEFAULT CURRENT_DATE, ALTER COLUMN day SET NOT NULL;
