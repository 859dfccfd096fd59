import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { Database } from '../../platform/database/database.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { endDead, provenDead } from './freed-orders.js';
import { signedForStake } from './signed-rivals.sql.js';

/**
 * Ends signed orders to stake whose expiry the worker cannot prove, since no node has the block that their bytes name. Such an
 * order would stay open, and a chain has one open order.
 */
@Injectable()
export class DeadStakes {
  constructor(
    private readonly database: Database,
    private readonly chains: TreasuryChains,
  ) {}

  /**
   * Ends an order whose transaction is proven by the history of the hot wallet to be never mined; returns false when nothing is
   * signed for it that is not final. The nodes are asked before its own
   * transaction. No wallet is frozen: nothing else did the same.
   * @throws DomainError invalid_state_transition when the nodes do not prove it; ChainUnavailable
   */
  async end(id: string, staff: StaffOrder): Promise<boolean> {
    const [signed] = await this.database.rows(signedForStake(id));
    if (signed === undefined) return false;
    const { chainRef } = signed;
    const chain = (await this.chains.expiring.active()).find((each) => each.chainRef === chainRef);
    if (chain === undefined) {
      throw new DomainError(
        'invalid_state_transition',
        `${id} is signed, and no node of its chain is configured here.`,
      );
    }
    const dead = await provenDead(chain, signed, id);
    const details = { chain: chainRef, hash: dead.txHash, nodes: String(dead.nodes) };
    return this.database.transaction(async (tx) => {
      if (!(await endDead(tx, dead))) return false;
      await recordAction(tx, { ...staff, action: 'treasury.cancel_stake', subject: id, details });
      return true;
    });
  }
}
