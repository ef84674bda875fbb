import { ApiAwayError, type ApiAccess } from './api-access.ts';
import { BoundedMap } from './bounded-map.ts';

export type TopicAction = 'publish' | 'subscribe';

/** An answer of the api holds this long, give or take a quarter, so that boards do not all ask in the same second. */
const freshMs = 10 * 60_000;
const refusedFreshMs = 5_000;

interface Answer {
  readonly allow: boolean;
  freshUntil: number;
  asking: boolean;
}

/**
 * The api's word on a board's topics, remembered per (client, topic, action), so that a packet costs no HTTP. Asked only
 * about what the contract's own rules already allow: it can take a permission away, never give one. An old answer
 * stands while the new one is fetched; when the api is away and nothing is remembered, the contract's rules decide.
 */
export const createTopicAccess = (api: Pick<ApiAccess, 'mayUse'>, now: () => number = Date.now) => {
  const answers = new BoundedMap<string, Answer>(200_000);
  const freshUntil = (allow: boolean): number =>
    now() + (allow ? freshMs * (0.75 + Math.random() / 2) : refusedFreshMs);

  const ask = async (
    key: string,
    clientid: string,
    username: string,
    topic: string,
    action: TopicAction,
  ): Promise<boolean> => {
    try {
      const allow = await api.mayUse({ clientid, username, topic, action });
      answers.set(key, { allow, freshUntil: freshUntil(allow), asking: false });
      return allow;
    } catch (error) {
      if (!(error instanceof ApiAwayError)) throw error;
      const earlier = answers.get(key);
      if (earlier) earlier.asking = false;
      return earlier?.allow ?? true;
    }
  };

  return {
    /**
     * Answers at once from memory, else with a promise. `onRevoked` is called when a permission that was used from
     * memory turns out to be gone.
     */
    check(
      request: { clientid: string; username: string; topic: string; action: TopicAction },
      onRevoked: () => void,
    ): boolean | Promise<boolean> {
      const { clientid, username, topic, action } = request;
      const key = `${action} ${clientid} ${topic}`;
      const known = answers.get(key);
      if (!known) return ask(key, clientid, username, topic, action);
      if (now() < known.freshUntil) return known.allow;
      if (!known.allow) return ask(key, clientid, username, topic, action);
      const refresh = async (): Promise<void> => {
        if (!(await ask(key, clientid, username, topic, action))) onRevoked();
      };
      if (!known.asking) {
        known.asking = true;
        void refresh();
      }
      return true;
    },
    forget(clientid: string): void {
      answers.deleteWhere((key) => key.split(' ', 2)[1] === clientid);
    },
  };
};
export type TopicAccess = ReturnType<typeof createTopicAccess>;
