import type { JournalBoard } from '@roastery/testing/journal-board';
import type { Database } from '../../db/sql.ts';
import type { Chance } from '../seeded-random.ts';
import type { Answered, Visitor } from '../visitor.ts';

export interface KnownMachine {
  readonly id: string;
  readonly serial: string;
  readonly owner: Visitor;
}

/** A roast of a board, with the journal to send again. */
export interface BoardRoast {
  readonly serial: string;
  readonly board: JournalBoard;
}

/** A roastery at work: its people, its records and the answers so far. */
export interface World {
  readonly chance: Chance;
  readonly sql: Database;
  readonly admin: Visitor;
  readonly people: readonly Visitor[];
  /** Ids of the people but the admin. */
  readonly userIds: readonly string[];
  readonly machines: KnownMachine[];
  readonly lots: string[];
  readonly recipes: string[];
  readonly roasts: string[];
  /** Those of them with samples, on which marks can be moved. */
  readonly recorded: string[];
  readonly plans: string[];
  readonly blends: string[];
  readonly options: string[];
  readonly boards: BoardRoast[];
  /** The caller: any user, more often than not the admin, who may see everything. */
  readonly someone: () => Visitor;
  /** Deletes one of a list. Usually it is removed from the list; sometimes it is requested again. */
  readonly remove: (who: Visitor, path: string, list: string[]) => Promise<void>;
  /** Counts new records, for names that are unique and the same in every run. */
  readonly next: () => number;
  /** A call that may be refused, since its record may be gone, and that never fails. */
  readonly send: <T = { id: string }>(
    who: Visitor,
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<Answered<T>>;
  /** The result of every call so far: how many succeeded, how many were refused, by method and path without ids. */
  readonly tallies: ReadonlyMap<string, { done: number; refused: number }>;
}

/** A possible next operation of a person or a board, and its weight among the others. */
export interface Operation {
  readonly often: number;
  readonly run: (world: World) => Promise<void>;
}

const withoutIds = (path: string): string =>
  path
    .replace(/\?.*$/, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
    .replace(/marks\/.*/, 'marks/{kind}');

export const createWorld = (
  sql: Database,
  admin: Visitor,
  users: readonly { readonly visitor: Visitor; readonly id: string }[],
  chance: Chance,
): World => {
  const people = users.map(({ visitor }) => visitor);
  const tallies = new Map<string, { done: number; refused: number }>();
  let made = 0;
  const world: World = {
    chance,
    sql,
    admin,
    people: [admin, ...people],
    userIds: users.map(({ id }) => id),
    machines: [],
    lots: [],
    recipes: [],
    roasts: [],
    recorded: [],
    plans: [],
    blends: [],
    options: [],
    boards: [],
    tallies,
    someone: () => (chance.is(0.6) ? admin : chance.pick(people)),
    remove: async (who, path, list) => {
      if (list.length === 0) return;
      const id = chance.pick(list);
      const { status } = await world.send(who, 'DELETE', `${path}/${id}`);
      if (status < 300 && chance.is(0.9)) list.splice(list.indexOf(id), 1);
    },
    next: () => ++made,
    send: async <T>(who: Visitor, method: string, path: string, body?: unknown): Promise<Answered<T>> => {
      const answer = await who.send<T>(method, path, body);
      if (answer.status >= 500) throw new Error(`${method} ${path} failed: ${JSON.stringify(answer.body)}`);
      const key = `${method} ${withoutIds(path)}`;
      const tally = tallies.get(key) ?? { done: 0, refused: 0 };
      if (answer.status < 300) tally.done++;
      else tally.refused++;
      tallies.set(key, tally);
      return answer;
    },
  };
  return world;
};
