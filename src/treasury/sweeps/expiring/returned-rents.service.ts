import { Injectable } from '@nestjs/common';
import type { Environment, Network } from '../../../domain/network.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { assetOf, transfer } from '../../../domain/posting.js';
import { LedgerService } from '../../../ledger/ledger.service.js';
import { systemAccount } from '../../../ledger/system-accounts.js';
import { rows, type Tx } from '../../../platform/database/database.js';
import { insertReturnedRent } from './signed-sweeps.sql.js';

/** The rent that a final sweep brought the hot wallet. */
interface ReturnedAmount {
  readonly sweepId: string;
  readonly chainRef: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly height: number;
  readonly amount: bigint;
}

/**
 * Records the rent of closed accounts. The payers of deposits had paid it when they opened the accounts. It is booked
 * against the network fees, which it makes lower.
 */
@Injectable()
export class ReturnedRents {
  constructor(private readonly ledger: LedgerService) {}

  /** Joins the caller's transaction. */
  async book(tx: Tx, { environment, network, ...row }: ReturnedAmount): Promise<void> {
    await rows(tx, insertReturnedRent(row));
    const asset = assetOf(network, NATIVE_COIN);
    await this.ledger.book(tx, {
      reference: `rent:${row.sweepId}`,
      kind: 'returned_rent',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'chain', environment, asset),
        to: await systemAccount(tx, 'network_fees', environment, asset),
        asset,
        amount: row.amount,
      }),
    });
  }
}
