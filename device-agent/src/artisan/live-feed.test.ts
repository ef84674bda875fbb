import type { TemperatureUnit } from '@roastery/roasting/units';
import { startArtisanProgram, type ArtisanProgram } from '@roastery/simulator/artisan/artisan-program';
import { createVirtualClock, type VirtualClock } from '@roastery/testing/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineLink, Reading } from '../source.ts';
import { followArtisan } from './live-feed.ts';

let clock: VirtualClock;
let artisan: ArtisanProgram;
let feeds: ReturnType<typeof followArtisan>[];
let readings: Reading[];
let links: MachineLink[];
let unit: TemperatureUnit | undefined;

const follow = async (url = artisan.url) => {
  const feed = followArtisan({
    url,
    unit: () => unit,
    reading: (reading) => readings.push(reading),
    linkChanged: (link) => links.push(link),
    roastRuns: () => false,
    clock,
  });
  feeds.push(feed);
  if (url === artisan.url) await expect.poll(clock.passing(() => artisan.watchers())).toBe(1);
  return feed;
};
const values = () => readings.map((reading) => reading.values);

beforeEach(async () => {
  clock = createVirtualClock();
  artisan = await startArtisanProgram();
  [feeds, readings, links, unit] = [[], [], [], 'C'];
});
afterEach(async () => {
  await clock.run(Promise.all(feeds.map((feed) => feed.stop())));
  await artisan.close();
});

describe('followArtisan', () => {
  it('records each reading of Artisan; a display without a number is null', async () => {
    const feed = await follow();
    artisan.reads(187.4, 203);
    artisan.ticks(12);
    artisan.reads(null, 203.5);
    artisan.send('no message of Artisan');
    artisan.send({ alert: { text: 'Charge now' } });
    artisan.reads(0, null);
    await expect.poll(clock.passing(values)).toEqual([
      [187.4, 203],
      [null, 203.5],
      [0, null],
    ]);
    expect(links).toContainEqual({ state: 'ok', detail: 'Artisan shows no bean temp' });
    expect(feed.link()).toEqual({ state: 'ok', detail: 'Artisan shows no exhaust temp' });
  });

  it('records at most ten readings a second, drops the rest unread, and says so', async () => {
    const feed = await follow();
    for (let n = 0; n < 500; n++) artisan.reads(n, 200);
    await clock.advance(999);
    expect(values().map(([bean]) => bean)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(feed.link().detail).toMatch(/more than 10 messages a second/);
    await clock.advance(1);
    artisan.reads(190, 205);
    await expect.poll(clock.passing(() => values().at(-1))).toEqual([190, 205]);
    expect(values()).toHaveLength(11);
    expect(feed.link().detail).toBeUndefined();
  });

  it('converts °F, and records nothing while the unit is not known', async () => {
    unit = undefined;
    await follow();
    artisan.reads(392, 400);
    await expect
      .poll(clock.passing(() => links.at(-1)?.detail))
      .toMatch(/^it is unknown whether Artisan shows °C or °F/);
    expect(readings).toEqual([]);
    unit = 'F';
    artisan.reads(392, 212);
    await expect.poll(clock.passing(values)).toEqual([[200, 100]]);
  });

  it('reports that Artisan sends nothing, repeats no old value, and continues when it sends again', async () => {
    const feed = await follow();
    artisan.reads(187.4, 203);
    await expect.poll(clock.passing(() => feed.link().detail)).toMatch(/^Artisan is connected but sends no readings/);
    expect(readings).toHaveLength(1);
    artisan.hangUp();
    await expect.poll(clock.passing(() => artisan.watchers())).toBe(1);
    artisan.reads(190, 205);
    await expect.poll(clock.passing(() => feed.link().state)).toBe('ok');
    expect(readings).toHaveLength(2);
  });

  it('reports the address at which Artisan does not answer', async () => {
    const { url } = artisan;
    await artisan.close();
    const feed = await follow(`${url}x`);
    await expect.poll(clock.passing(() => feed.link().detail)).toMatch(/^Artisan does not answer at ws:.*ECONNREFUSED/);
    artisan = await startArtisanProgram();
  });

  it('ignores messages of another size or kind', async () => {
    const feed = await follow();
    artisan.send('x'.repeat(100_000));
    await expect.poll(clock.passing(() => links.some(({ state }) => state === 'failing'))).toBe(true);
    await expect.poll(clock.passing(() => artisan.watchers())).toBe(1);
    artisan.reads(187.4, 203);
    await expect.poll(clock.passing(() => feed.link().state)).toBe('ok');
    expect(values()).toEqual([[187.4, 203]]);
  });
});
