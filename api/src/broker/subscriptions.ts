import { allMachines, topicKinds } from '@roastery/contract/mqtt';

const filterOfKind = new Map(topicKinds.map((kind) => [`/${kind}`, allMachines(kind)]));
/** The filter over all machines for the kind of this topic. */
const allMachinesOf = (topic: string): string => filterOfKind.get(topic.slice(topic.lastIndexOf('/'))) ?? topic;

interface Subscription<Handler> {
  readonly qos: 0 | 1;
  readonly handlers: readonly Handler[];
}

/** The filters of a connection with their handlers: topics, and topics of all machines. */
export class Subscriptions<Handler> {
  readonly #byFilter = new Map<string, Subscription<Handler>>();

  /** Returns the filters that had no handler before. */
  add(filters: readonly string[], qos: 0 | 1, handler: Handler): string[] {
    return filters.filter((filter) => {
      const known = this.#byFilter.get(filter);
      this.#byFilter.set(filter, { qos: known?.qos ?? qos, handlers: [...(known?.handlers ?? []), handler] });
      return known === undefined;
    });
  }

  /** Returns the filters that have no handler any more. */
  remove(filters: readonly string[], handler: Handler): string[] {
    return filters.filter((filter) => {
      const known = this.#byFilter.get(filter);
      if (known === undefined) return false;
      const handlers = known.handlers.filter((one) => one !== handler);
      if (handlers.length > 0) this.#byFilter.set(filter, { ...known, handlers });
      else this.#byFilter.delete(filter);
      return handlers.length === 0;
    });
  }

  filters(wanted: 0 | 1): string[] {
    return Array.from(this.#byFilter).flatMap(([filter, { qos }]) => (qos === wanted ? filter : []));
  }

  handlersOf(topic: string): readonly Handler[] {
    const own = this.#byFilter.get(topic)?.handlers ?? [];
    const ofAll = this.#byFilter.get(allMachinesOf(topic))?.handlers ?? [];
    if (own === ofAll || ofAll.length === 0) return own;
    return own.length === 0 ? ofAll : [...own, ...ofAll];
  }
}
