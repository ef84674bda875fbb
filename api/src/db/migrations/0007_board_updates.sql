-- The newest update that was ordered for a machine's board: id, version, at, by; `withdrawn` when it was taken back.
ALTER TABLE machines ADD COLUMN board_order jsonb;
