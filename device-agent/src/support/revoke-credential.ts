import { revokeOwnCredential } from '@roastery/contract/devices';
import { withBasePath } from '../config.ts';
import { httpRequest } from '../http-request.ts';
import { codeOf } from '@roastery/runtime/system-errors';

/** The state of this board's credential on the server. */
export type Revocation =
  | { readonly kind: 'revoked' }
  /** It was no longer valid. */
  | { readonly kind: 'was_not_valid' }
  /** The board has none. */
  | { readonly kind: 'none' }
  /** The server could not be reached: it stays valid. */
  | { readonly kind: 'server_not_reached'; readonly reason: string };

const timeoutMs = 8000;
const attempts = 2;

/** Requests the server to revoke this board's credential, authenticated by that credential. Never throws. */
export const revokeOnServer = async (env: NodeJS.ProcessEnv): Promise<Revocation> => {
  const { API_URL: api, MACHINE_SERIAL: serial, MACHINE_TOKEN: token } = env;
  if (!api || !serial || !token) return { kind: 'none' };
  const headers = { authorization: `Bearer ${token}`, 'x-machine-serial': encodeURIComponent(serial) };
  let reason = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      const url = `${withBasePath(api)}${revokeOwnCredential.path}`;
      const { status } = await httpRequest(url, { headers, timeoutMs, body: { because: 'factory_reset' } });
      if (status === 200) return { kind: 'revoked' };
      // A refusal of the second request may mean that the answer to the first was lost.
      if (status === 401) return { kind: 'was_not_valid' };
      reason = `status ${status}`;
    } catch (error) {
      reason = codeOf(error) || (error instanceof Error ? error.name : String(error));
    }
  }
  return { kind: 'server_not_reached', reason };
};
