import { types } from 'node:util';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.js';
import type { Network } from '../../domain/network.js';
import { withTimeout } from '../../platform/with-timeout.js';

const TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

export interface AskingOptions {
  readonly network: Network;
  readonly logger: Logger;
  /** Returns the error for work that takes longer. */
  readonly onTimeout?: () => Promise<DomainError>;
  /** 5 s if not given. */
  readonly timeoutMs?: number;
}

/**
 * Does what asks the node of a development chain, and waits some seconds at most: what takes longer goes on, and its failure is logged.
 * Call it outside of transactions.
 * @throws DomainError `network_unavailable` when no node answers
 */
export async function askingNodes<T>(
  ask: () => Promise<T>,
  { network, logger, onTimeout = async () => noNodeAnswers(network), timeoutMs = TIMEOUT_MS }: AskingOptions,
): Promise<T> {
  const asked = ask();
  if (!(await withTimeout(asked, timeoutMs))) {
    asked.catch((error: unknown) =>
      logger.warn({ network, err: error }, 'A development chain failed after its answer.'),
    );
    throw await onTimeout();
  }
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
