import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import { OutcomeHandler } from '../transactions/outcome-handler.js';
import type { CallOrder } from '../transactions/transaction-order.js';
import { contractOrder } from './sweep-orders.js';

/**
 * Deployments of sweep contracts. Their outcome decides nothing: a successful transaction may have called nothing, and
 * a reverted one may have found the contract deployed. `SweepContractsOnChain` checks the code itself.
 */
@Injectable()
export class ContractOutcomeHandler extends OutcomeHandler {
  orderOf(tx: Tx, contractId: string): Promise<CallOrder | null> {
    return contractOrder(tx, contractId);
  }

  async ended(): Promise<void> {}
}
