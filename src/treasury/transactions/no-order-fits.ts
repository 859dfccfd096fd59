import { DomainError } from '../../domain/errors.js';

/** No waiting order can explain a transaction that the chain has: it may be adopted as a loss. */
export class NoOrderFits extends DomainError {
  constructor(message: string) {
    super('invalid_state_transition', message);
  }
}
