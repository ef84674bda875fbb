-- Files of roasts in parts: a statement with 10 MB in it keeps the api's thread busy for a tenth of a second.
CREATE TABLE roast_upload_parts (
  upload_id uuid NOT NULL REFERENCES roast_uploads ON DELETE CASCADE,
  part integer NOT NULL CHECK (part >= 0),
  content bytea NOT NULL,
  PRIMARY KEY (upload_id, part)
);
-- What was compressed is; packing it again takes time and gains nothing.
ALTER TABLE roast_upload_parts ALTER COLUMN content SET STORAGE EXTERNAL;

INSERT INTO roast_upload_parts (upload_id, part, content)
SELECT id, part, substring(content FROM part * 262144 + 1 FOR 262144)
FROM roast_uploads, generate_series(0, (length(content) - 1) / 262144) AS part;

ALTER TABLE roast_uploads DROP COLUMN content;
