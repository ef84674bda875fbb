-- An imported roast has the number of its file and takes none of the roastery's; without one it takes the next. Earlier versions gave
-- one to each roast that was imported singly, and none to those of an import of many files.
-- A number that was given stays in the list of numbers with its roast. Roasts that a board recorded, or that have the number of a plan,
-- keep theirs.
WITH numbered AS (
  SELECT r.id, r.batch_number, r.source_batch FROM roasts r JOIN recordings c ON c.id = r.recording_id AND c.source = 'upload'
   WHERE r.source_batch IS NOT NULL AND r.is_numbered
     AND NOT EXISTS (SELECT FROM planned_roasts p WHERE p.roast_id = r.id AND p.batch_number IS NOT NULL)
     AND NOT EXISTS (SELECT FROM board_roasts b WHERE b.id = r.id)
     AND NOT EXISTS (SELECT FROM roast_sources s WHERE s.roast_id = r.id)
     AND NOT EXISTS (SELECT FROM machine_files f WHERE f.roast_id = r.id AND f.outcome = 'joined')),
changed AS (
  UPDATE roasts r SET is_numbered = false, batch_number = NULL FROM numbered n WHERE r.id = n.id)
INSERT INTO audit_log (id, actor, action, subject, detail)
  SELECT gen_random_uuid(), 'system', 'roast.renumbered', id, jsonb_build_object('from', batch_number, 'to', source_batch)
    FROM numbered WHERE batch_number IS NOT NULL;

WITH given AS MATERIALIZED (
  SELECT id, give_batch_number(machine_id) AS batch_number
    FROM (SELECT id, machine_id FROM roasts WHERE source_batch IS NULL AND NOT is_numbered ORDER BY start_time, id OFFSET 0) due),
changed AS (
  UPDATE roasts r SET is_numbered = true, batch_number = given.batch_number FROM given WHERE r.id = given.id)
INSERT INTO audit_log (id, actor, action, subject, detail)
  SELECT gen_random_uuid(), 'system', 'roast.renumbered', id, jsonb_build_object('to', batch_number) FROM given;
UPDATE batch_numbers b SET roast_id = r.id FROM roasts r WHERE r.batch_number = b.batch_number AND b.roast_id IS NULL;
