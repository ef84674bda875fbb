-- The columns of tables of any program, as a person assigned them: for all files with these heads, in any order.
CREATE TABLE table_layouts (
  heads_key text PRIMARY KEY,
  columns jsonb NOT NULL,
  changed_by uuid REFERENCES users ON DELETE SET NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- The heads of a table, and whether its columns have to be assigned before it can be read.
ALTER TABLE roast_import_files ADD COLUMN heads_key text;
ALTER TABLE roast_import_files ADD COLUMN needs_columns boolean NOT NULL DEFAULT false;
