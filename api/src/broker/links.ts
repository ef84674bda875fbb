import { pause } from '@roastery/runtime/backoff';
import { openMqttLink, type MqttChannel, type MqttLink, type MqttLinkOptions } from './link.ts';

/** All brokers of the roastery. A board is connected to one of them, and may change to another at any time. */
export interface MqttLinks extends MqttChannel {
  readonly links: readonly MqttLink[];
}

export interface MqttLinksOptions extends Omit<MqttLinkOptions, 'url'> {
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

/** Opens a link to each broker. */
export const openMqttLinks = ({ urls, ...options }: MqttLinksOptions): MqttLinks => {
  const links = urls.map((url) => openMqttLink({ ...options, url }));
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
    async publish(topic, payload, how) {
      const connected = links.filter(({ isConnected }) => isConnected);
      await untilMost((connected.length > 0 ? connected : links).map((link) => link.publish(topic, payload, how)));
    },
    subscribe: (filter, qos, handler) => ofEach((link) => link.subscribe(filter, qos, handler)),
    onConnect: (handler) => ofEach((link) => link.onConnect(handler)),
    async close() {
      await Promise.all(links.map((link) => link.close()));
    },
  };
};
