/**
 * `resend` sends whatever matches, also what was delivered; `recover` what is dead-lettered or waits; `send_missing` events
 * that an endpoint has no delivery of.
 */
export const REPLAY_VERBS = ['resend', 'recover', 'send_missing'] as const;
export type ReplayVerb = (typeof REPLAY_VERBS)[number];
