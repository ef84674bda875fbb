-- Whether the green weight of a roast goes from its lot: settled when it ends, null until then. The recipe it followed may be
-- changed or deleted afterwards, and the roast be edited for another reason: neither may charge a lot years later.
ALTER TABLE roasts ADD COLUMN deducts boolean;

UPDATE roasts r SET deducts = CASE
    WHEN EXISTS (SELECT FROM lot_movements v WHERE v.roast_id = r.id GROUP BY v.lot_id HAVING sum(v.kg) <> 0) THEN true
    -- It could have taken something and did not.
    WHEN r.lot_id IS NOT NULL AND r.batch_size_kg IS NOT NULL THEN false
    ELSE coalesce((SELECT p.auto_deduct_inventory FROM profiles p WHERE p.id = r.profile_id), true)
  END
 WHERE r.status <> 'in_progress';
