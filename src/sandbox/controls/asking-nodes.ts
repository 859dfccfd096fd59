import { types } from 'node:util';
import { DomainError } from '../../domain/errors.js';
import type { Network } from '../../domain/network.js';
import { withTimeout } from '../../platform/with-timeout.js';

const TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Does what asks the node of a development chain, and waits 5 s at most: what takes longer goes on. Call it outside of
 * transactions.
 * @param onTimeout returns the error for work that takes longer
 * @throws DomainError `network_unavailable` when no node answers
 */
export async function askingNodes<T>(
  network: Network,
  ask: () => Promise<T>,
  onTimeout: () => Promise<DomainError> = async () => noNodeAnswers(network),
): Promise<T> {
  const asked = ask();
  if (!(await withTimeout(asked, TIMEOUT_MS))) throw await onTimeout();
  try {
    return await asked;
  } catch (error) {
    // What fetch throws when nothing listens, or when its own time is over.
    if (types.isNativeError(error) && (error instanceof TypeError || error.name === 'TimeoutError')) {
      throw noNodeAnswers(network, error);
    }
    throw error;
  }
}

const noNodeAnswers = (network: Network, cause?: unknown): DomainError =>
  new DomainError('network_unavailable', `No node answers for ${network}.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
