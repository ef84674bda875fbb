import { pause } from '@roastery/runtime/backoff';
import type { MqttChannel, MqttLink } from './channel.ts';
import { openMqttLink, type MqttLinkOptions } from './link.ts';

export interface MqttLinksOptions extends Omit<MqttLinkOptions, 'url' | 'isOneOfSeveral'> {
  readonly urls: readonly string[];
}

/** A message that one broker has does not wait longer for the others: one of them may hang. */
const othersWithinMs = 1000;

/** Resolves when all have fulfilled, or some time after the first. Rejects when none does. */
const untilMost = async (works: readonly Promise<void>[]): Promise<void> => {
  const settled = Promise.allSettled(works);
  await Promise.any(works).catch((error: unknown) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });
  if (works.length > 1) await Promise.race([settled, pause(othersWithinMs)]);
};

/** Works at each broker that is connected. Rejects where none is, or where it succeeds at none. */
export const atEachBroker = (
  { links }: Pick<MqttChannel, 'links'>,
  work: (link: MqttLink) => Promise<void>,
): Promise<void> => {
  const connected = links.filter(({ isConnected }) => isConnected);
  return untilMost((connected.length > 0 ? connected : links).map(work));
};

/** Opens a link to each broker of the roastery. A board is connected to one of them, and may change to another at any time. */
export const openMqttLinks = ({ urls, ...options }: MqttLinksOptions): MqttChannel => {
  const isOneOfSeveral = urls.length > 1;
  const links = urls.map((url) => openMqttLink({ ...options, url, isOneOfSeveral }));
  const ofEach = (work: (link: MqttLink) => () => void): (() => void) => {
    const stops = links.map(work);
    return () => {
      for (const stop of stops) stop();
    };
  };
  return {
    links,
    boardUrls: options.boardUrls ?? [],
    get isConnected() {
      return links.some(({ isConnected }) => isConnected);
    },
    get missing() {
      return links.flatMap(({ missing }) => missing);
    },
    publish: (topic, payload, how) => atEachBroker({ links }, (link) => link.publish(topic, payload, how)),
    subscribe: (filter, qos, handler) => ofEach((link) => link.subscribe(filter, qos, handler)),
    onConnect: (handler) => ofEach((link) => link.onConnect(handler)),
    async close() {
      await Promise.all(links.map((link) => link.close()));
    },
  };
};
