-- The marks that were replaced have the columns of roast_marks.
ALTER TABLE replaced_marks RENAME COLUMN taken_back TO is_withdrawn;
