-- Whether a person or the machine said the first crack that counts, kept beside its temperature by the verb that derives both:
-- what a coming roast learns from is found by an index, however many cracks only a detector marked.
ALTER TABLE roasts ADD COLUMN first_crack_told boolean NOT NULL DEFAULT false;

UPDATE roasts r SET first_crack_told = true
  FROM (
    SELECT roast_id, recording_id,
           CASE WHEN sum(CASE WHEN origin <> 'person' OR event_seq IS NOT NULL THEN 0 WHEN taken_back THEN -1 ELSE 1 END) > 0
             THEN 'person'
             ELSE (array_agg(origin ORDER BY event_seq DESC) FILTER (WHERE event_seq IS NOT NULL))[1] END AS origin
      FROM roast_marks WHERE kind = 'first_crack' GROUP BY roast_id, recording_id) said
 WHERE said.roast_id = r.id AND said.recording_id IS NOT DISTINCT FROM r.recording_id AND said.origin <> 'detector'
   AND r.first_crack_temp IS NOT NULL;

-- Newest first: those of a machine, of all machines, and of all machines of one person.
DROP INDEX roasts_past_cracks;
CREATE INDEX roasts_cracks_of_machine ON roasts (machine_id, start_time DESC)
  WHERE first_crack_told AND first_crack_temp IS NOT NULL AND status = 'completed';
CREATE INDEX roasts_cracks ON roasts (start_time DESC)
  WHERE first_crack_told AND first_crack_temp IS NOT NULL AND status = 'completed';
CREATE INDEX roasts_cracks_of_owner ON roasts (owner_id, start_time DESC)
  WHERE first_crack_told AND first_crack_temp IS NOT NULL AND status = 'completed';
