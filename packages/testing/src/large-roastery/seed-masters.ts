import type postgres from 'postgres';
import type { RoasterySizes, SeededPeople } from './sizes.ts';

type Sql = postgres.TransactionSql;

/** Users, their machines and the boards' credentials. Machine n has the serial number `LR-n`. */
export const seedPeopleAndMachines = async (sql: Sql, sizes: RoasterySizes, people: SeededPeople): Promise<void> => {
  await sql`
    INSERT INTO users (id, full_name, email, password_hash, is_active, is_admin, created_at)
    SELECT pg_temp.made_id('user', n, now() - interval '3 years' + n * interval '9 days'),
           pg_temp.pick('first', n, '{Ida,Jon,Mara,Ole,Priya,Sam,Tove,Yusuf,Ana,Bo}') || ' ' ||
             pg_temp.pick('last', n, '{Lind,Okafor,Meyer,Costa,Haile,Suzuki,Novak,Reyes}') || ' ' || n,
           'person' || n || '@roastery.example', 'x', n % 12 <> 0, n % 33 = 0,
           now() - interval '3 years' + n * interval '9 days'
      FROM generate_series(1, ${sizes.users - 2}::int) n`;
  await sql`
    INSERT INTO machines (id, owner_id, serial_number, display_name, machine_type, max_capacity_kg, created_at, archived_at,
                          last_seen_at, is_online, status)
    SELECT pg_temp.made_id('machine', n, now() - interval '3 years' + n * interval '1 day'),
           CASE WHEN n % 5 = 0 THEN ${people.roasterId}::uuid
                ELSE (SELECT id FROM users WHERE email = 'person' || (1 + n % ${sizes.users - 2}::int) || '@roastery.example') END,
           'LR-' || n, pg_temp.pick('hall', n, '{North,South,Harbour,Old Mill,Station}') || ' drum ' || n,
           CASE n % 3 WHEN 0 THEN 'RM30' WHEN 1 THEN 'RM15' ELSE 'RM7' END, CASE n % 3 WHEN 0 THEN 30 WHEN 1 THEN 15 ELSE 7 END,
           now() - interval '3 years' + n * interval '1 day',
           CASE WHEN n % 41 = 0 THEN now() - interval '60 days' END,
           CASE WHEN n % 17 = 0 THEN NULL ELSE now() - pg_temp.chance('seen', n) * interval '20 minutes' END, n % 17 <> 0,
           NULL
      FROM generate_series(1, ${sizes.machines}::int) n`;
  await sql`
    INSERT INTO pairing_tickets (id, machine_id, code_hash, issued_by, created_at, expires_at, redeemed_at)
    SELECT pg_temp.made_id('ticket', k, m.created_at + k * interval '1 second'), m.id, sha256(('ticket' || m.id || k)::bytea),
           m.owner_id, m.created_at, m.created_at + interval '7 days', CASE WHEN k = 1 THEN m.created_at END
      FROM machines m, generate_series(1, 3) k`;
  await sql`
    INSERT INTO machine_credentials (id, machine_id, token_hash, origin, created_at)
    SELECT pg_temp.made_id('credential', row_number() OVER (ORDER BY m.id), m.created_at), m.id,
           sha256(('token' || m.id)::bytea), 'pairing', m.created_at
      FROM machines m`;
  await sql`
    INSERT INTO sessions (id, token_hash, user_id, expires_at, last_seen_at)
    SELECT pg_temp.made_id('session', row_number() OVER (ORDER BY u.id, k), now()), sha256(('session' || u.id || k)::bytea), u.id,
           now() + interval '20 days', now() - k * interval '3 minutes'
      FROM users u, generate_series(1, 3) k`;
};

const origins = '{Ethiopia,Colombia,Brazil,Kenya,Guatemala,Costa Rica,Rwanda,Honduras,Peru,Sumatra,Yemen,Panama}';

/** Lots `LOT-n` over three years; their ledger begins with the purchase. */
export const seedGreenCoffee = async (sql: Sql, sizes: RoasterySizes, people: SeededPeople): Promise<void> => {
  await sql`
    INSERT INTO lots (id, lot_number, coffee_name, origin, region, farm, variety, process, altitude, harvest_date, supplier,
                      purchase_date, price_minor, initial_weight, location, cupping_score, moisture_content, density, notes,
                      is_reserved, registration_date, archived_at)
    SELECT pg_temp.made_id('lot', n, bought), 'LOT-' || lpad(n::text, 5, '0'),
           pg_temp.pick('coffee', n, '{Kochere,Huila Reserve,Santos,Nyeri AA,Antigua,Tarrazu,Gishamwana,Marcala,Cajamarca,Lintong}')
             || ' ' || n % 97,
           pg_temp.pick('origin', n, ${origins}::text[]), pg_temp.pick('region', n, '{Gedeo,Pitalito,Minas,Nyeri,West Valley}'),
           'Farm ' || n % 211, pg_temp.pick('variety', n, '{Bourbon,Caturra,Heirloom,SL28,Gesha,Typica}'),
           pg_temp.pick('process', n, '{Washed,Natural,Honey,Anaerobic}'), 1100 + floor(pg_temp.chance('alt', n) * 1000),
           bought - interval '120 days', pg_temp.pick('supplier', n, '{Nordic Green,Mercanta,Falcon,Sucafina,Direct}'), bought,
           CASE WHEN n % 19 = 0 THEN NULL ELSE round((500 + pg_temp.chance('cost', n) * 1200)::numeric) END,
           round((200 + pg_temp.chance('initial', n) * 700)::numeric, 1),
           pg_temp.pick('place', n, '{Main Warehouse,Annex,Cold store,Harbour}'), round((80 + pg_temp.chance('cup', n) * 10)::numeric, 1),
           10.8, 0.71, CASE WHEN n % 3 = 0 THEN 'Bags 1 to ' || 4 + n % 9 END, n % 23 = 0, bought,
           CASE WHEN n % 29 = 0 THEN bought + interval '400 days' END
      FROM generate_series(1, ${sizes.lots}::int) n,
           LATERAL (SELECT now() - interval '3 years' + n * (interval '3 years' / ${sizes.lots}::int) AS bought) b`;
  await sql`
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, by_user)
    SELECT pg_temp.made_id('initial', row_number() OVER (ORDER BY id), registration_date), id, registration_date, initial_weight,
           'initial', ${people.adminId}
      FROM lots`;
  await sql`
    INSERT INTO lot_movements (id, lot_id, at, kg, reason, note, by_user)
    SELECT pg_temp.made_id('adjustment', row_number() OVER (ORDER BY id), registration_date + interval '40 days'), id,
           registration_date + interval '40 days', -round((pg_temp.chance('spilt', hashtext(lot_number)) * 4)::numeric, 3) - 0.001,
           'adjustment', 'Weighed again', ${people.adminId}
      FROM lots WHERE hashtext(lot_number) % 2 = 0`;
};

/** Recipes of eight to twelve points, two thirds of them linked to a lot. */
export const seedRecipes = async (sql: Sql, sizes: RoasterySizes, people: SeededPeople): Promise<void> => {
  await sql`
    INSERT INTO profiles (id, name, description, coffee_origin, coffee_variety, roast_level, target_drop_temp, target_roast_time,
                          target_development_time, min_batch_size, max_batch_size, green_coffee_lot_id, alert_low_inventory,
                          control_profile, created_by, created_at, archived_at)
    SELECT pg_temp.made_id('profile', n, made), pg_temp.pick('style', n, '{House,Filter,Espresso,Omni,Seasonal,Decaf}') || ' recipe ' || n,
           'Gas down at the turn, air up before first crack; for ' || pg_temp.pick('for', n, '{milk,batch brew,cupping,shops}'),
           pg_temp.pick('origin', n, ${origins}::text[]), pg_temp.pick('variety', n, '{Bourbon,Caturra,Heirloom,SL28}'),
           pg_temp.pick('level', n, '{Light,Medium-Light,Medium,Medium-Dark,Dark}'), 204 + n % 18, 600 + n % 240, 100 + n % 80,
           5, 25, CASE WHEN n % 3 <> 0 THEN
             (SELECT id FROM lots WHERE lot_number = 'LOT-' || lpad((1 + (n * 7) % ${sizes.lots}::int)::text, 5, '0')) END,
           n % 4 = 0,
           (SELECT jsonb_agg(jsonb_build_object('time', k * 70, 'burner', 100 - k * 8, 'exhaust', 30 + k * 5, 'drum', 60 - k % 3))
              FROM generate_series(0, 7 + n % 5) k),
           ${people.adminId}, made, CASE WHEN n % 50 = 0 THEN now() - interval '30 days' END
      FROM generate_series(1, ${sizes.recipes}::int) n,
           LATERAL (SELECT now() - interval '3 years' + n * interval '1 day' AS made) m`;
};
