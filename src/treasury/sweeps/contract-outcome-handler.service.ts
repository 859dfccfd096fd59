import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { OutcomeHandler } from '../transactions/outcome-handler.js';
import type { CallOrder } from '../transactions/transaction-order.js';
import { contractOrder } from './sweep-orders.js';

/**
 * Deployments of sweep contracts. How their transaction ended decides nothing: one that succeeded may have called nothing,
 * and one that was reverted may have found the contract there. `SweepContractsOnChain` looks for the code itself.
 */
@Injectable()
export class ContractOutcomeHandler extends OutcomeHandler {
  orderOf(tx: Tx, contractId: string): Promise<CallOrder | null> {
    return contractOrder(tx, contractId);
  }

  async ended(): Promise<void> {}
}
