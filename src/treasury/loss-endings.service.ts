import { Injectable } from '@nestjs/common';
import type { Environment, Network } from '../domain/network.js';
import { assetOf } from '../domain/posting.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ownAccount } from '../ledger/own-accounts.js';
import { type Tx, sqlOne } from '../platform/database/database.js';
import { type Authorizations, NO_AUTHORIZATIONS } from './checked-signature.js';
import type { TransactionOutcome, TransactionOutcomes } from './transaction-outcomes.js';

/** How losses end: the coins have left, and nobody here ordered it, so they are ours to claim. */
@Injectable()
export class LossEndings implements TransactionOutcomes {
  constructor(private readonly ledger: LedgerService) {}

  /** Nothing is ever signed for one. */
  async standingOrder(): Promise<null> {
    return null;
  }

  async authorizations(): Promise<Authorizations> {
    return NO_AUTHORIZATIONS;
  }

  async wasBroadcast(): Promise<void> {
    // Nobody waits for it.
  }

  async ended(tx: Tx, { transactionId, purposeId, succeeded }: TransactionOutcome): Promise<void> {
    if (!succeeded) return;
    const lost = await sqlOne<{ environment: Environment; network: Network; token_contract: string; amount: string }>(
      tx,
      `select chain.environment, chain.network, sent.token_contract, sent.amount
         from chain_transaction sent join chain on chain.id = sent.chain_ref where sent.id = $1`,
      [transactionId],
    );
    const { environment, network, token_contract: token } = lost;
    const amount = BigInt(lost.amount);
    if (amount === 0n) return;
    const asset = assetOf(network, token);
    await this.ledger.book(tx, {
      reference: `loss:${purposeId}`,
      kind: 'loss',
      environment,
      legs: [
        { accountId: await ownAccount(tx, 'receivable', environment, asset), asset, amount: -amount },
        { accountId: await ownAccount(tx, 'chain', environment, asset), asset, amount },
      ],
    });
  }
}
