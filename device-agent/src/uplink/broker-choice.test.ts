import { createVirtualClock } from '@roastery/testing/virtual-clock';
import { describe, expect, it } from 'vitest';
import { BrokerChoice, brokersInOrder } from './broker-choice.ts';
import { LineWatch, type LineVerdict } from './line-watch.ts';

const urls = ['mqtt://one', 'mqtt://two', 'mqtt://three'];
const serials = Array.from({ length: 3000 }, (_, n) => `RM30-${n}`);
const shareOf = (url: string, orders: readonly string[][]): number =>
  orders.filter(([first]) => first === url).length / orders.length;

/** Seconds from the connection to each verdict but a ping; `hear` runs each second. */
const watched = (hear: (watch: LineWatch, second: number) => void, seconds: number) => {
  const time = createVirtualClock();
  const watch = new LineWatch(time);
  watch.connected();
  const verdicts: [number, LineVerdict][] = [];
  let pings = 0;
  for (let second = 0; second <= seconds; second++) {
    hear(watch, second);
    const sentAt = time.monotonic();
    const verdict = watch.look(sentAt);
    if (verdict === 'ping') pings += 1;
    else if (verdict !== undefined) {
      verdicts.push([second, verdict]);
      watch.connected();
    }
    time.pass(1000);
  }
  return { verdicts, pings };
};

describe('brokersInOrder', () => {
  it('spreads boards over the brokers, and those of a broker that died over all others', () => {
    const orders = serials.map((serial) => brokersInOrder(serial, urls));
    for (const url of urls) expect(Math.abs(shareOf(url, orders) - 1 / 3)).toBeLessThan(0.03);
    const moved = orders.filter(([first]) => first === urls[0]).map(([, ...rest]) => rest);
    for (const url of urls.slice(1)) expect(Math.abs(shareOf(url, moved) - 1 / 2)).toBeLessThan(0.05);
  });

  it('depends on serial number and addresses, not on their order, and a broker more moves only to itself', () => {
    const more = [...urls, 'mqtt://four'];
    for (const serial of serials.slice(0, 500)) {
      const order = brokersInOrder(serial, urls);
      expect(brokersInOrder(serial, urls.toReversed())).toEqual(order);
      expect(brokersInOrder(serial, more).filter((url) => url !== 'mqtt://four')).toEqual(order);
    }
  });
});

describe('BrokerChoice', () => {
  const order = brokersInOrder('RM30-1', urls);
  const [first = '', second = '', third = ''] = order;

  it('begins at the board’s own broker, stays with one that works, and goes on to the next after a failure', () => {
    const choice = new BrokerChoice('RM30-1');
    expect(choice.round(urls)).toEqual(order);
    choice.failed(first);
    choice.works(second);
    expect(choice.round(urls)).toEqual([second, third, first]);
    choice.failed(second);
    expect(choice.round(urls)).toEqual([third, first, second]);
    choice.failed(third);
    expect(choice.round(urls)).toEqual([first, second, third]);
  });

  it('has one broker where the list has one, and leaves one that is no longer listed at the next round', () => {
    const choice = new BrokerChoice('RM30-1');
    choice.failed(first);
    expect(choice.round([first])).toEqual([first]);
    choice.works(first);
    expect(choice.round([second, third])).toEqual(brokersInOrder('RM30-1', [second, third]));
  });
});

describe('LineWatch', () => {
  it('asks a silent broker for a sign of life, leaves it after 7 s, and then waits twice as long each time', () => {
    const { verdicts, pings } = watched(() => undefined, 60);
    expect(verdicts).toEqual([
      [7, 'silent'],
      [22, 'silent'],
      [51, 'silent'],
    ]);
    expect(pings).toBeGreaterThan(3);
  });

  it('leaves a broker that answers without acknowledgements after 12 s, ever more rarely', () => {
    const { verdicts } = watched((watch) => watch.heard(), 100);
    expect(verdicts).toEqual([
      [12, 'mute'],
      [37, 'mute'],
      [86, 'mute'],
    ]);
  });

  it('leaves ever more rarely where acknowledgements come only now and then, and sooner again after each half minute of them', () => {
    const busy = watched((watch, second) => second % 40 === 0 && watch.acknowledged(), 140);
    expect(busy.verdicts.map(([second]) => second)).toEqual([7, 22, 68]);
    const calmed = watched((watch, second) => {
      watch.heard();
      if (second > 37 && second < 90 && second % 4 === 0) watch.acknowledged();
    }, 140);
    expect(calmed.verdicts.map(([second]) => second)).toEqual([12, 37, 112]);
  });

  it('stays where acknowledgements come, and does not count a board that sent nothing', () => {
    const acknowledged = watched((watch, second) => second % 7 === 0 && watch.acknowledged(), 120);
    expect(acknowledged.verdicts).toEqual([]);
    const time = createVirtualClock();
    const idle = new LineWatch(time);
    idle.connected();
    time.pass(60_000);
    expect(idle.look(Infinity)).toBeUndefined();
  });
});
