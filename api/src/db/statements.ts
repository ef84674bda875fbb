import type postgres from 'postgres';

/** The driver's pool, or one of its transactions. */
export type Driver = postgres.ISql;
type Rows = readonly (object | undefined)[];
/** The rows; `count` is also the number of those changed. */
type Found<Read extends Rows = Rows> = Read & Iterable<NonNullable<Read[number]>> & { readonly count: number };

/** A text with its values. */
interface Part<Read extends Rows = Rows> {
  /** What the driver sends, or takes as a part of another one. */
  readonly on: (driver: Driver) => Promise<Found<Read>>;
}
/** A statement is sent when it is awaited, and never when it is only a part of another one. */
export interface Statement<Read extends Rows = postgres.Row[]> extends Promise<Found<Read>>, Part<Read> {}
/** A name, a list, or the columns of rows, as the driver writes them into a statement. */
type Piece = postgres.Helper<object, never[]>;
type Value = postgres.SerializableParameter | Piece | Part | readonly Part[];

/** The pool or a transaction: what queries take, so that they run inside either. */
export interface Sql {
  /** A statement or a part of one. Its values are sent beside the text. */
  <Read extends Rows = postgres.Row[]>(text: TemplateStringsArray, ...values: readonly Value[]): Statement<Read>;
  /** A name, names or values with commas between them, or the columns of an INSERT or UPDATE. */
  (piece: string | object): Piece;
  json(value: postgres.JSONValue): postgres.Parameter;
  /** A text of any number of statements; of one where it has values. */
  unsafe<Read extends Rows = postgres.Row[]>(text: string, values?: postgres.ParameterOrJSON<never>[]): Statement<Read>;
}

/** Where statements go: the pool, a transaction, or one of them behind a condition. */
export interface Way {
  readonly driver: () => Driver;
  readonly send: <Read extends Rows>(statement: Part<Read>) => Promise<Found<Read>>;
}
export interface PoolWay extends Way {
  readonly begin: <Result>(options: string, work: (tx: Way) => Promise<Result>) => Promise<Result>;
  /** Calls `onListen` at once and after each loss of the connection, when notifications may have been missed. */
  readonly listen: (
    channel: string,
    onNotify: (payload: string) => void,
    onListen?: () => void,
  ) => Promise<{ unlisten(): Promise<void> }>;
  readonly end: (options?: { timeout?: number }) => Promise<void>;
}

type Work<Result> = (tx: Sql) => Result | Promise<Result>;

/** The pool: statements, transactions, notifications. */
export interface Database extends Sql, Pick<PoolWay, 'listen' | 'end'> {
  begin<Result>(work: Work<Result>): Promise<Result>;
  begin<Result>(options: string, work: Work<Result>): Promise<Result>;
  readonly way: PoolWay;
}

class LazyStatement<Read extends Rows> implements Statement<Read> {
  readonly [Symbol.toStringTag] = 'Statement';
  readonly on: Part<Read>['on'];
  readonly #way: Way;
  #found: Promise<Found<Read>> | undefined;

  constructor(way: Way, on: Part<Read>['on']) {
    this.#way = way;
    this.on = on;
  }

  #read(): Promise<Found<Read>> {
    return (this.#found ??= this.#way.send(this));
  }

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting it sends it
  then<Then = Found<Read>, Else = never>(
    onFound?: ((found: Found<Read>) => Then | PromiseLike<Then>) | null,
    onError?: ((error: unknown) => Else | PromiseLike<Else>) | null,
  ): Promise<Then | Else> {
    return this.#read().then(onFound, onError);
  }
  catch<Else = never>(onError?: ((error: unknown) => Else | PromiseLike<Else>) | null): Promise<Found<Read> | Else> {
    return this.#read().catch(onError);
  }
  finally(onSettled?: (() => void) | null): Promise<Found<Read>> {
    return this.#read().finally(onSettled);
  }
}

/** Parts as those of the driver; an empty list is one of values. */
const asGiven = (value: unknown, driver: Driver): unknown => {
  if (value instanceof LazyStatement) return value.on(driver);
  return Array.isArray(value) && value[0] instanceof LazyStatement ? value.map((one) => asGiven(one, driver)) : value;
};

export const sqlOn = (way: Way): Sql => {
  const write = (first: TemplateStringsArray | string | object, ...values: readonly unknown[]): unknown => {
    if (!Array.isArray(first) || !('raw' in first)) return Reflect.apply(way.driver(), undefined, [first]);
    return new LazyStatement(way, (driver) =>
      Reflect.apply(driver, undefined, [first, ...values.map((value) => asGiven(value, driver))]),
    );
  };
  return Object.assign(write as Sql, {
    json: (value: postgres.JSONValue) => way.driver().json(value),
    unsafe: <Row extends object>(text: string, values?: postgres.ParameterOrJSON<never>[]) =>
      new LazyStatement<Row[]>(way, (driver) => driver.unsafe<Row[]>(text, values)),
  });
};

export const databaseOn = (way: PoolWay): Database => {
  const begin = <Result>(...given: [Work<Result>] | [string, Work<Result>]): Promise<Result> => {
    const [options, work] = given.length === 1 ? ['', given[0]] : given;
    return way.begin(options, async (tx) => work(sqlOn(tx)));
  };
  return Object.assign(sqlOn(way), { begin, listen: way.listen, end: way.end, way });
};
