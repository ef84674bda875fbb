-- First cracks of a machine's past roasts, newest first: what the next one's is learnt from.
CREATE INDEX roasts_past_cracks ON roasts (machine_id, start_time DESC)
  WHERE first_crack_temp IS NOT NULL AND status = 'completed';
