import type { Request } from 'express';
import { DomainError } from '../domain/errors.js';

/** The header that pages of other sites cannot send without asking first, which this service never allows. */
const CONSOLE_HEADER = 'x-coffer-console';
/** The header of requests that a page repeats on its own: they do not keep a session from becoming idle. */
export const POLL_HEADER = 'x-coffer-poll';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a page of another site could have sent (CSRF): they need the console's own header, and the browser
 * must say that they come from this very site. `BASE_URL` is in the refusal, since a wrong one is the usual cause.
 * @throws DomainError `forbidden`
 */
export function assertSameSite(req: Request, baseUrl: string): void {
  if (SAFE_METHODS.has(req.method)) return;
  if (req.headers[CONSOLE_HEADER] === undefined) {
    throw new DomainError('forbidden', 'Requests that change something need the header X-Coffer-Console: 1.');
  }
  const { origin } = req.headers;
  if (req.headers['sec-fetch-site'] === 'same-origin' || origin === new URL(baseUrl).origin) return;
  const given = origin === undefined ? 'no Origin' : `Origin ${origin.slice(0, 200)}`;
  throw new DomainError('forbidden', `This request has ${given}, and BASE_URL is ${baseUrl}. Open the console there.`);
}
