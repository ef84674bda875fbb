import { parseTopic, topicOf } from '@roastery/contract/mqtt';
import type { MqttChannel, MqttLink } from '../broker/channel.ts';
import type { Message } from '../broker/plain-messages.ts';

const maxBoards = 50_000;

interface Board {
  readonly serialNumber: string;
  readonly link: MqttLink;
}

/** Which broker each board sends its journal to: its acknowledgements go there. */
export class BoardPlaces {
  readonly #mqtt: Pick<MqttChannel, 'links'>;
  /** By the topic of its journal: a lookup is faster than decoding and checking the topic again. */
  readonly #boards = new Map<string, Board>();
  /** By the topic of its acknowledgements. */
  readonly #linkOf = new Map<string, MqttLink>();

  constructor(mqtt: Pick<MqttChannel, 'links'>) {
    this.#mqtt = mqtt;
  }

  /** The serial number of a board whose journal message came over this link; undefined for another topic. */
  heard(topic: string, link: MqttLink): string | undefined {
    const known = this.#boards.get(topic);
    if (known?.link === link) return known.serialNumber;
    const place = known ?? parseTopic(topic);
    if (place === undefined || ('kind' in place && place.kind !== 'journal')) return undefined;
    const { serialNumber } = place;
    if (this.#boards.size >= maxBoards) this.#forgetAll();
    this.#boards.set(topic, { serialNumber, link });
    this.#linkOf.set(topicOf(serialNumber, 'ack'), link);
    return serialNumber;
  }

  /** Sends acknowledgements, with one write to each broker. Returns false if some could not be sent. */
  sendAll(messages: readonly Message[]): boolean {
    const { links } = this.#mqtt;
    const [only] = links;
    if (links.length === 1 && only !== undefined) return only.sendAll(messages);
    const isSent = links.map((link) => {
      const own = messages.filter(({ topic }) => (this.#linkOf.get(topic) ?? link) === link);
      return own.length === 0 || link.sendAll(own);
    });
    return !isSent.includes(false);
  }

  #forgetAll(): void {
    this.#boards.clear();
    this.#linkOf.clear();
  }
}
