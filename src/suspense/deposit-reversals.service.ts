import { Injectable } from '@nestjs/common';
import type { Environment, Network } from '../domain/network.js';
import { formatUnits } from '../domain/money.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ownAccount } from '../ledger/own-accounts.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { decided, invalidState } from './desk-refusals.js';
import { type LockedDeposit, lockDeposit, moneyText } from './locked-deposit.js';

/** A deposit that the chain was found without, and that is still in the books. */
export interface GoneDeposit {
  readonly id: string;
  /** When it was found to be gone, ISO 8601. */
  readonly goneAt: string;
  readonly environment: Environment;
  readonly network: Network;
  readonly token: string;
  readonly amountDecimal: string;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly intentId: string | null;
  readonly merchantId: string | null;
}

/** Books out deposits that the chain took back after they were final. */
@Injectable()
export class DepositReversals {
  constructor(
    private readonly database: Database,
    private readonly ledger: LedgerService,
  ) {}

  /** What is to be decided, the oldest first. */
  async pending(limit: number): Promise<readonly GoneDeposit[]> {
    const rows = await this.database.query<{
      id: string;
      gone_at: string;
      environment: Environment;
      network: Network;
      symbol: string;
      decimals: number;
      amount: string;
      tx_hash: string;
      block_height: string;
      intent_id: string | null;
      merchant_id: string | null;
    }>(
      `select deposit.id, deposit.gone_at, chain.environment, chain.network, token.symbol, token.decimals,
              deposit.amount, deposit.tx_hash, deposit.block_height, deposit.intent_id, deposit.merchant_id
         from deposit join chain on chain.id = deposit.chain_ref
         join chain_token token on token.chain_ref = deposit.chain_ref and token.contract = deposit.token_contract
        where deposit.gone_at is not null and deposit.reversed_at is null order by deposit.id limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      id: row.id,
      goneAt: new Date(row.gone_at).toISOString(),
      environment: row.environment,
      network: row.network,
      token: row.symbol,
      amountDecimal: formatUnits(BigInt(row.amount), row.decimals),
      txHash: row.tx_hash,
      blockNumber: Number(row.block_height),
      intentId: row.intent_id,
      merchantId: row.merchant_id,
    }));
  }

  /**
   * Books a gone deposit out of where it is held. What was credited to a merchant stays the merchant's, whose pocket is
   * never overdrawn: the loss is ours to claim, so it is booked to the receivable account. The intent is not touched.
   * Gives the money in words.
   * @throws DomainError not_found, invalid_state_transition
   */
  async reverse(tx: Tx, id: string, order: StaffOrder): Promise<string> {
    const deposit = await lockDeposit(tx, id);
    if (deposit.isReversed) throw await decided(tx, id, 'It is reversed already');
    if (!deposit.isGone) throw invalidState('The chain was not found without it.');
    if (!deposit.isBooked) throw invalidState('It is not booked yet; a worker does so within seconds.');
    const { environment, asset, amount } = deposit;
    const account = accountHolding(deposit);
    await this.ledger.book(tx, {
      reference: `reversal:${id}`,
      kind: 'reversal',
      environment,
      legs: [
        { accountId: await ownAccount(tx, account, environment, asset), asset, amount: -amount },
        { accountId: await ownAccount(tx, 'chain', environment, asset), asset, amount },
      ],
    });
    await sql(tx, `update deposit set reversed_at = now(), held_as = null where id = $1`, [id]);
    await recordAction(tx, { ...order, action: 'deposit.reverse', subject: id, details: { from: account } });
    return moneyText(deposit);
  }
}

/** What is still held is booked out of there: nobody was given it yet. */
function accountHolding({ heldAs }: LockedDeposit): 'suspense' | 'frozen' | 'receivable' {
  if (heldAs === null) return 'receivable';
  return heldAs === 'suspense' ? 'suspense' : 'frozen';
}
