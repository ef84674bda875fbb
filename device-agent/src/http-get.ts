import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** No answer that we ask for comes near this. */
const maxBytes = 262_144;

/**
 * GET of a small text, without redirects. Node's own `fetch` would cost the agent about 5 MB of memory. Rejects when
 * there is no whole answer within `timeoutMs`.
 */
export const httpGet = (url: string, headers: Record<string, string>, timeoutMs: number): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const open = url.startsWith('https:') ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = open(url, { headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) request.destroy(new Error(`answer of more than ${maxBytes} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.on('error', reject);
    request.end();
  });
