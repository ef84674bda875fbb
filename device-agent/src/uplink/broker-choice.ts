import { createHash } from 'node:crypto';

/** `mqtts://broker` → `broker:8883`, an IPv6 address without its brackets. */
export const hostAndPort = (url: string): string => {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'mqtts:' ? 8883 : 1883)}`;
};

/**
 * The brokers in the order in which a board tries them. It depends on the serial number: the boards of a roastery begin at
 * different ones, and those of a broker that died spread over all others. A broker that is added or taken away changes the
 * place of no other.
 */
export const brokersInOrder = (serialNumber: string, urls: readonly string[]): string[] =>
  [...new Set(urls)]
    .map((url) => ({ url, weight: createHash('sha1').update(`${url} ${serialNumber}`).digest('hex') }))
    .toSorted((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ url }) => url);

/** Which broker is tried next: the one that worked last, until it fails. */
export class BrokerChoice {
  readonly #serialNumber: string;
  #last: string | undefined;
  #hasFailed = false;

  constructor(serialNumber: string) {
    this.#serialNumber = serialNumber;
  }

  /** All brokers once, in the order in which to try them. */
  round(urls: readonly string[]): string[] {
    const order = brokersInOrder(this.#serialNumber, urls);
    const last = order.indexOf(this.#last ?? '');
    const first = last >= 0 && this.#hasFailed ? last + 1 : Math.max(0, last);
    return [...order.slice(first), ...order.slice(0, first)];
  }

  works(url: string): void {
    this.#last = url;
    this.#hasFailed = false;
  }

  failed(url: string): void {
    this.#last = url;
    this.#hasFailed = true;
  }
}
