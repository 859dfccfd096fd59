import type { OutboundResult } from '../../platform/outbound/outbound-client.js';

/** What one attempt came to, as it is recorded: an answer with its status, or the code of why there was none. */
export interface Attempt {
  readonly startedAt: Date;
  /** Unix seconds of the signature's `t`. */
  readonly signedAt: number;
  readonly durationMs: number;
  readonly delivered: boolean;
  /** The fault was ours, so the endpoint is not blamed for it. */
  readonly ourFault: boolean;
  readonly responseStatus: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  readonly responseBody: string | null;
}

type Timing = Pick<Attempt, 'startedAt' | 'signedAt'>;

/** An attempt that got as far as the network. Any 2xx acknowledges, and nothing else does (spec 6.2). */
export function attemptFrom(result: OutboundResult, timing: Timing): Attempt {
  const answer = result.kind === 'response' ? result : null;
  const error = result.kind === 'error' ? result : null;
  return {
    ...timing,
    durationMs: result.durationMs,
    delivered: answer !== null && answer.status >= 200 && answer.status <= 299,
    ourFault: false,
    responseStatus: answer?.status ?? null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    responseHeaders: answer?.headers ?? null,
    responseBody: answer?.bodyText ?? null,
  };
}

/**
 * An attempt that failed on our side before it was sent. It counts as one, so that a delivery that can never be sent
 * ends as a dead letter that can be replayed, instead of being tried for ever.
 */
export function internalFailure(timing: Timing): Attempt {
  return {
    ...timing,
    durationMs: 0,
    delivered: false,
    ourFault: true,
    responseStatus: null,
    errorCode: 'internal',
    errorMessage: 'The attempt failed on our side before it was sent.',
    responseHeaders: null,
    responseBody: null,
  };
}
