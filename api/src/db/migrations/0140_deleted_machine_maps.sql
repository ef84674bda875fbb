-- A map that is deleted is seen no more; its revisions stay, since roasts were read by them.
ALTER TABLE machine_maps ADD COLUMN deleted_at timestamptz;
