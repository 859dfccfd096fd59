import type { OutboundResult } from '../../platform/outbound/outbound-client.js';
import type { OutboundErrorCode } from '../../platform/outbound/outbound-fault.js';

/** Why an attempt has no response. */
export type AttemptErrorCode = OutboundErrorCode | 'internal';

/** The outcome of one attempt as it is recorded: a response status, or an error code when there was no response. */
export interface Attempt {
  readonly startedAt: Date;
  /** Unix seconds of the signature's `t`. */
  readonly signedAt: number;
  readonly durationMs: number;
  readonly delivered: boolean;
  /** The attempt failed on our side, so it does not count against the endpoint. */
  readonly ourFault: boolean;
  readonly responseStatus: number | null;
  readonly errorCode: AttemptErrorCode | null;
  readonly errorMessage: string | null;
  readonly responseHeaders: Readonly<Record<string, string>> | null;
  readonly responseBody: string | null;
}

type Timing = Pick<Attempt, 'startedAt' | 'signedAt'>;

/** An attempt that reached the network. Only a 2xx acknowledges the delivery. */
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
 * An attempt that failed on our side before it was sent. It counts as an attempt, so that a delivery that can never be
 * sent becomes a dead letter, which can be retried, instead of being attempted without end.
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
