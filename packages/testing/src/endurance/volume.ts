/**
 * How much the long runs do: all of it in `npm run endurance`; in `.ci/run`, which sets `ENDURANCE=bounded`, as much as
 * takes four minutes on two cores.
 */
export const isBounded = process.env['ENDURANCE'] === 'bounded';

/** The volume of this run: how many kills, requests or files. */
export const volume = <T>(full: T, bounded: T): T => (isBounded ? bounded : full);

/** For the title of a test that `it.skipIf(isBounded)` leaves to the full run: why it was skipped. */
export const onlyInFull = isBounded ? ' (only in npm run endurance)' : '';
