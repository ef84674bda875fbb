-- The roastery's currency (ISO 4217), and the sizes of bags in which it buys green coffee. Amounts of money are integers of the
-- currency's smallest unit: cents of USD, yen of JPY.
ALTER TABLE roastery_settings
  ADD COLUMN currency text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$'),
  ADD COLUMN currency_digits smallint NOT NULL DEFAULT 2 CHECK (currency_digits BETWEEN 0 AND 4),
  ADD COLUMN bag_sizes jsonb NOT NULL
    DEFAULT '[{"weight": 60, "unit": "kg"}, {"weight": 69, "unit": "kg"}, {"weight": 152, "unit": "lb"}]';

-- A price is an amount for a weight: 6.125 a kilogram is 6125 cents for 10 kg. The digits of a double are kept, however many.
ALTER TABLE lots
  ADD COLUMN price_minor bigint CHECK (price_minor >= 0),
  ADD COLUMN price_kg numeric NOT NULL DEFAULT 1 CHECK (price_kg > 0);
UPDATE lots l SET price_minor = p.price * 100 * p.kg, price_kg = p.kg
  FROM (SELECT id, cost_per_kg::text::numeric AS price,
               trim_scale(10::numeric ^ greatest(scale(trim_scale(cost_per_kg::text::numeric)) - 2, 0)) AS kg
          FROM lots WHERE cost_per_kg IS NOT NULL) p
 WHERE p.id = l.id;
ALTER TABLE lots DROP COLUMN cost_per_kg;
