import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** No requested response is nearly this large. */
const maxBytes = 262_144;

/**
 * GET of a small text, or POST of a JSON `body` or of a `file` as it is, without redirects. Node's own `fetch` would
 * cost the agent about 5 MB of memory. Rejects when there is no complete answer within `timeoutMs`.
 */
export const httpRequest = (
  url: string,
  {
    headers,
    timeoutMs,
    body,
    file,
  }: { headers: Record<string, string>; timeoutMs: number; body?: object; file?: Uint8Array },
): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    const content = body === undefined ? file : JSON.stringify(body);
    const type = body === undefined ? 'application/octet-stream' : 'application/json';
    const options =
      content === undefined
        ? { headers, signal }
        : { method: 'POST', headers: { ...headers, 'content-type': type }, signal };
    const request = open(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) request.destroy(new Error(`answer of more than ${maxBytes} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: given } = response;
        resolve({ status, headers: given, text: Buffer.concat(chunks).toString() });
      });
    });
    request.on('error', reject);
    request.end(content);
  });
