import { apiBasePath } from '@roastery/contract/endpoint';
import { errorBodyShape } from '@roastery/contract/errors';
import { parseOrThrow } from '@roastery/contract/parse-shape';

export interface Answered<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface NamedBytes {
  readonly name: string;
  readonly bytes: string | Uint8Array<ArrayBuffer>;
}

/** A client of the api that keeps the session cookie, as a browser does. */
export interface Visitor {
  send<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answered<T>>;
  /** Posts a file as it is. */
  sendFile<T = unknown>(path: string, bytes: string | Uint8Array<ArrayBuffer>): Promise<Answered<T>>;
  /** Posts files as a form. */
  sendFiles<T = unknown>(path: string, files: readonly NamedBytes[]): Promise<Answered<T>>;
  /** Reads an answer that is not text. */
  download(path: string): Promise<{ status: number; headers: Headers; bytes: Uint8Array<ArrayBuffer> }>;
  readonly cookie: string | undefined;
  forgetCookie(): void;
}

/** Every error has whole sentences: a user reads them unchanged. */
const checkSentence = (text: string): void => {
  const { detail } = parseOrThrow(errorBodyShape, JSON.parse(text));
  if (typeof detail === 'string' && !/[.…]$/.test(detail)) throw new Error(`no whole sentence: ${detail}`);
};

export const formOf = (files: readonly NamedBytes[]): FormData => {
  const form = new FormData();
  for (const { name, bytes } of files) form.append('files', new Blob([bytes]), name);
  return form;
};

export const createVisitor = (url: string): Visitor => {
  let cookie: string | undefined;
  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the contract's type
    async send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const answer = await fetch(`${url}${apiBasePath}${path}`, {
        method,
        headers: {
          // Compressing answers would take a tenth of the time of most tests.
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(cookie === undefined ? {} : { cookie }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // The cookies that make a browser known are not kept.
      const set = answer.headers.getSetCookie().find((one) => !/^(?:__Host-)?(?:device|pin)=/.test(one));
      if (set !== undefined) cookie = /Max-Age=0/i.test(set) ? undefined : set.split(';')[0];
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
      if (isJson && answer.status >= 400) checkSentence(text);
      return { status: answer.status, headers: answer.headers, body: (isJson ? JSON.parse(text) : text) as T };
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the contract's type
    async sendFile<T>(path: string, bytes: string | Uint8Array<ArrayBuffer>) {
      const answer = await fetch(`${url}${apiBasePath}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', ...(cookie === undefined ? {} : { cookie }) },
        body: bytes,
      });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
    },
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what the contract promises it
    async sendFiles<T>(path: string, files: readonly NamedBytes[]) {
      const answer = await fetch(`${url}${apiBasePath}${path}`, {
        method: 'POST',
        headers: cookie === undefined ? {} : { cookie },
        body: formOf(files),
      });
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
    },
    async download(path) {
      const answer = await fetch(`${url}${apiBasePath}${path}`, { headers: cookie === undefined ? {} : { cookie } });
      return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
    },
    get cookie() {
      return cookie;
    },
    forgetCookie() {
      cookie = undefined;
    },
  };
};
