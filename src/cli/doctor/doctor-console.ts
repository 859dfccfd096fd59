import type { Config } from '../../platform/config.js';
import { isLoopback, refusalOf } from '../../staff/console-site.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const FIX = 'set BASE_URL to the https address at which browsers reach this service';

/** Checks that staff can sign in to the console at the public address of this service. */
export function checkConsole({ http: { baseUrl }, rpc, embedded }: Config): Finding {
  const hasLive = rpc.some(({ environment }) => environment === 'live');
  if (baseUrl === null) {
    if (embedded) return ok('console', 'at the address of the sandbox');
    return warn('console', 'BASE_URL is not set, so links to the console name the address of HOST and PORT', FIX);
  }
  const refusal = refusalOf(baseUrl, hasLive);
  if (refusal !== null) return fail('console', refusal, FIX);
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return ok('console', `${baseUrl}/admin`);
  return warn('console', `passwords of staff travel in clear text to ${baseUrl}`, FIX);
}
