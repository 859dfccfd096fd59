import { DomainError } from '../../domain/errors.js';

/** Nothing that waits here can have ordered a transaction that the chain has: it may be taken in as a loss. */
export class NoOrderFits extends DomainError {
  constructor(message: string) {
    super('invalid_state_transition', message);
  }
}
