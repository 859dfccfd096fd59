import type { ConsoleActor } from '../platform/audit-trail.js';
import type { Client } from './client.js';

/** The author of an action outside of an environment, such as a sign-in, for `recordAction`. */
export function accountActor(email: string, { address, requestId }: Client): ConsoleActor {
  return { actor: email, address, requestId, environment: null, role: null };
}
