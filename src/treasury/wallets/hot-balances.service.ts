import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type BlockRef, type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import { cappedJsonInteger, unitsToMinorDown } from '../../domain/money.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { ChainJob } from '../chain-job.js';
import { gasReserve } from '../fees/gas-reserve.js';
import { balancesOfTokens, recordBalances, staleWallets } from './hot-balances.sql.js';
import { raiseCount } from './hot-wallets.sql.js';
import type { HotFunds } from '../transactions/payment-funds.js';
import { spendableUnits } from './spendable-units.js';
import { recordSnapshot } from './top-ups.sql.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { countsBy, highestCounts } from './wallet-counts.js';

/** A hot wallet whose balances are older than the newest final block. */
interface StaleWallet extends Omit<RowOf<typeof staleWallets>, 'chainRef' | 'addressKey' | 'height'> {
  readonly address: string;
  readonly height: number;
}

/** The balances of hot wallets on chain, and the part that no outgoing transaction of ours has promised. */
@Injectable()
export class HotBalances {
  private readonly job: ChainJob<TreasuryChain>;

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    chains: TreasuryChains,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('hot balances', chains, logger);
  }

  /** Reads every hot wallet at its chain's newest final block. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler', when: staleWallets })
  async refresh(): Promise<void> {
    const stale = (await this.database.rows(staleWallets)).map(({ chainRef, addressKey: address, height, ...row }) => {
      const wallet: StaleWallet = { ...row, address, height: Number(height) };
      return [chainRef, wallet] as const;
    });
    await this.job.run(new Map(stale), (chain, wallet) => this.read(chain, wallet));
  }

  /** As `spendableUnits`. */
  spendable(em: EntityManager, chainRef: string, tokenContract: string): Promise<bigint | null> {
    return spendableUnits(em, chainRef, tokenContract);
  }

  /** Returns the spendable funds and the gas reserve of a hot wallet, for `missingFunds`. */
  fundsOf(tx: Tx, chainRef: string): HotFunds {
    return {
      spendable: (token) => this.spendable(tx, chainRef, token),
      reserve: (maxFeePerGas) => gasReserve(tx, chainRef, maxFeePerGas),
    };
  }

  /** Publishes the balances as metrics. */
  @RecurringJob({ role: 'worker', every: 10_000 })
  async measure(): Promise<void> {
    const balances = await this.database.rows(balancesOfTokens);
    for (const { chainRef, symbol, amount, decimals, minorUnitExponent: exponent } of balances) {
      const minorUnits = cappedJsonInteger(unitsToMinorDown(BigInt(amount), decimals, exponent));
      this.metrics.treasury.setHotBalance(chainRef, symbol, minorUnits);
    }
  }

  private async read(chain: TreasuryChain, wallet: StaleWallet): Promise<void> {
    // Counted separately: a node that pruned the state of the final block can still count.
    await this.count(chain, wallet);
    const { chainRef, nodes } = chain;
    const { address, height, hash, tokens } = wallet;
    const { final, balances, finalNonce } = await nodes.attempt(async ({ client }) => {
      const block = hash === null ? await blockAt(client, height) : { height, hash };
      return {
        final: block,
        balances: [
          ...(await client.balancesAt(block, [address])),
          ...(await client.outgoing.tokenBalancesAt(block, tokens, address)),
        ],
        finalNonce: await client.outgoing.nonceAt(block, address),
      };
    });
    const held = [NATIVE_COIN, ...tokens].map((contract, place) => ({ contract, amount: balances[place] ?? null }));
    await this.database.rows(recordBalances(chainRef, height, held));
    // Compared with the books once they hold everything up to this block.
    const snapshot = { chainRef, height, hash: final.hash, nonce: finalNonce };
    await this.database.rows(recordSnapshot(snapshot, held));
  }

  /**
   * Updates the chain's transaction count of the wallet, which shows a nonce that somebody else used before ours meets
   * it.
   */
  private async count(chain: TreasuryChain, { address, isCounted }: StaleWallet): Promise<void> {
    const { waiting } = isCounted
      ? await chain.nodes.attempt(({ client }) => countsBy(client, address))
      : await highestCounts(this.database, chain, address);
    // If the count was distrusted meanwhile, the answer of one node does not restore it.
    await this.database.rows(raiseCount(chain.chainRef, waiting, !isCounted));
  }
}

async function blockAt(client: ChainClient, height: number): Promise<BlockRef> {
  const header = await client.headerAt(height);
  if (header === null) throw new ChainUnavailable(`The node has no block ${height}, which is final.`);
  return header;
}
