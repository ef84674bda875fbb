-- Hosts whose import thread has begun the file, once for each try that did not end. A file that ends the thread is given up after three
-- tries of one host: several apis may read the same file at the same time.
ALTER TABLE roast_import_files ADD COLUMN begun_by text[] NOT NULL DEFAULT '{}';
