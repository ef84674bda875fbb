-- No statement of the large roastery (npm run bench -- scale) is slower without these.
DROP INDEX roasts_by_person;
DROP INDEX roasts_cracks_of_machine;
DROP INDEX roasts_cracks_of_owner;
DROP INDEX roasts_made_by_hand;

-- One index for the roasts of a machine and for their total weight.
DROP INDEX roasts_sum_of_machine;
DROP INDEX roasts_by_machine;
CREATE INDEX roasts_by_machine ON roasts (machine_id, start_time DESC, id DESC) INCLUDE (batch_size_kg);
