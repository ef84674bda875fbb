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
