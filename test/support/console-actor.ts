import type { ConsoleActor } from '../../src/platform/audit-trail.js';

/** A member of staff who acts in the console of the sandbox. */
export const KIM = {
  actor: 'kim@example.com',
  address: '127.0.0.1',
  requestId: 'req_1',
  environment: 'sandbox',
  role: 'support',
} as const satisfies ConsoleActor;
