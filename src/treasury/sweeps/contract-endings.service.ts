import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { type Authorizations, NO_AUTHORIZATIONS } from '../transactions/checked-signature.js';
import type { CallOrder } from '../transactions/standing-order.js';
import type { TransactionOutcomes } from '../transactions/transaction-outcomes.js';
import { contractOrder } from './sweep-orders.js';

/**
 * Deployments of sweep contracts. How their transaction ended decides nothing: one that succeeded may have called nothing,
 * and one that was reverted may have found the contract there. `SweepContractsOnChain` looks for the code itself.
 */
@Injectable()
export class ContractEndings implements TransactionOutcomes {
  standingOrder(tx: Tx, contractId: string): Promise<CallOrder | null> {
    return contractOrder(tx, contractId);
  }

  async authorizations(): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  async wasBroadcast(): Promise<void> {}

  async ended(): Promise<void> {}
}
