import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { NodeBehind } from '../../chains/chain.js';
import type { Holding } from '../../chains/outgoing.js';
import type { SweepCandidate } from '../../domain/sweep-plan.js';
import { ChainCursor } from '../../offers/chain-cursor.entity.js';
import { CONFIG, type Config } from '../../platform/config.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { LOGGER } from '../../platform/logging.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { delegateIn, type SweepContracts } from '../../chains/evm/sweep-contracts.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { type SweepDraft, SweepDrafts } from './sweep-drafts.service.js';
import { SweepContractsOnChain } from './sweep-contracts-on-chain.service.js';
import { countUnsweepable } from './sweep-failures.sql.js';
import { claimFree, insertSweep } from './sweep-rows.js';

const NO_CODE = '0x';

/** An item, checked against the chain. */
interface CheckedItem extends SweepCandidate {
  /** The address's next nonce where it must delegate first; null where it already delegates. */
  readonly authorizationNonce: number | null;
}

/**
 * Plans sweeps: due balances are checked on the chain, outside of any transaction, and then recorded for the vault to
 * sign. Two parallel planners never take the same balance.
 */
@Injectable()
export class SweepPlanner {
  private readonly job: ChainJob<TreasuryChain>;

  constructor(
    private readonly database: Database,
    chains: TreasuryChains,
    private readonly drafts: SweepDrafts,
    private readonly contracts: SweepContractsOnChain,
    @Inject(CONFIG) private readonly config: Pick<Config, 'treasury'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.job = new ChainJob('sweeps', chains, logger);
  }

  /** Plans due sweeps on every chain. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 2_000, leader: 'scheduler' })
  async plan(): Promise<void> {
    if (this.config.treasury.sweepFeeShareBps === 0) return;
    await this.job.run(await this.drafts.due(), (chain, draft) => this.take(chain, draft));
  }

  private async take(chain: TreasuryChain, draft: SweepDraft): Promise<void> {
    const contracts = await this.contracts.ready(chain);
    if (contracts === null) return;
    const holdings = await this.holdingsOf(chain, draft.items);
    const { delegate } = contracts;
    const checked = draft.items.map((item, place) => checkedItem(item, holdings[place], delegate.address));
    const items = checked.filter((item) => item !== null);
    const unsweepable = draft.items.filter((_, place) => checked[place] === null);
    const planned = await this.database.transaction(async (tx) => {
      if (unsweepable.length > 0) await rows(tx, countUnsweepable(chain.chainRef, unsweepable));
      return this.store(tx, chain.chainRef, draft, contracts, items);
    });
    if (unsweepable.length > 0) {
      this.logger.warn(
        { chainRef: chain.chainRef, items: unsweepable.length },
        'Balances cannot be swept in their on-chain state.',
      );
    }
    if (planned > 0) failpoint('sweep.planned');
  }

  private async holdingsOf(
    { chainRef, nodes }: TreasuryChain,
    items: SweepDraft['items'],
  ): Promise<readonly Holding[]> {
    const cursor = await this.database.em().findOne(ChainCursor, { chainRef });
    const queries = items.map(({ addressKey, token }) => ({ address: addressKey, token }));
    return nodes.attempt(async ({ client }) => {
      const head = await client.head();
      if (head.height < (cursor?.finalizedHeight ?? 0)) throw new NodeBehind('The node is below the final block.');
      return client.outgoing.holdingsAt(head, queries);
    });
  }

  /** Records a sweep and returns its number of items. Balances that another planner holds or has taken are left out. */
  private async store(
    tx: Tx,
    chainRef: string,
    { reason }: SweepDraft,
    contracts: SweepContracts,
    checked: readonly CheckedItem[],
  ): Promise<number> {
    const claimed = await claimFree(tx, chainRef, checked);
    if (claimed.length === 0) return 0;
    const items = claimed.map(({ token, addressId, units, authorizationNonce }) => ({
      token,
      addressId,
      account: null,
      expected: units,
      authorizationNonce,
      opensAccount: null,
      closesAccount: null,
      costMax: null,
    }));
    const sweepId = await insertSweep(tx, { chainRef, reason, contracts, items });
    this.logger.info({ chainRef, sweepId, reason, items: claimed.length }, 'A sweep was planned.');
    return claimed.length;
  }
}

/**
 * Returns null when the chain holds nothing of it, and for an address with code of its own, which no plain address has.
 */
function checkedItem(item: SweepCandidate, holding: Holding | undefined, delegate: string): CheckedItem | null {
  if (holding === undefined || holding.units === 0n) return null;
  const current = delegateIn(holding.code);
  if (current === null && holding.code !== NO_CODE) return null;
  return { ...item, authorizationNonce: current === delegate ? null : holding.nonce };
}
