import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { type BlockRef, type ChainClient, ChainUnavailable } from '../../chains/chain.js';
import { cappedJsonInteger, unitsToMinorDown } from '../../domain/money.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { Database, type Tx, sql } from '../../platform/database/database.js';
import { LOGGER } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { RecurringJob } from '../../platform/recurring/recurring-job.js';
import { ChainJob } from '../chain-job.js';
import { gasReserve } from '../fees/gas-reserve.js';
import { SPENDABLE_STATEMENT, STALE_WALLETS_STATEMENT } from './hot-balances.sql.js';
import type { HotFunds } from '../transactions/payment-funds.js';
import { RECORD_SNAPSHOT_STATEMENT } from './top-ups.sql.js';
import { type TreasuryChain, TreasuryChains } from '../treasury-chains.service.js';
import { countsBy, highestCounts } from './wallet-counts.js';

/** A hot wallet whose balances are older than the newest final block. */
interface StaleWallet {
  readonly address: string;
  readonly height: number;
  /** Null when the listener has pruned the block or has not reached it yet. */
  readonly hash: string | null;
  /** Contracts, without the native coin. */
  readonly tokens: readonly string[];
  /** False when the stored transaction count must not be trusted and the chain has to be asked again. */
  readonly isCounted: boolean;
}

/** The balances of hot wallets on chain, and the part that no outgoing transaction of ours has promised. */
@Injectable()
export class HotBalances {
  private readonly job: ChainJob;

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    chains: TreasuryChains,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.job = new ChainJob('hot balances', chains, logger);
  }

  /** Reads every hot wallet at its chain's newest final block. Runs in the leader of the recurring jobs. */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async refresh(): Promise<void> {
    const rows = await this.database.query<{
      chain_ref: string;
      address_key: string;
      height: string;
      hash: string | null;
      tokens: string[];
      is_counted: boolean;
    }>(STALE_WALLETS_STATEMENT);
    const stale = rows.map(({ chain_ref: chainRef, address_key: address, height, is_counted: isCounted, ...row }) => {
      const wallet: StaleWallet = { address, height: Number(height), isCounted, hash: row.hash, tokens: row.tokens };
      return [chainRef, wallet] as const;
    });
    await this.job.run(new Map(stale), (chain, wallet) => this.read(chain, wallet));
  }

  /**
   * Returns the smallest units of a token (contract, or `NATIVE_COIN`) that a hot wallet may still promise: its balance
   * at a final block, less everything that our transactions take out of it after that block, mined or only signed. Null
   * when no balance was read yet. The caller locks the wallet's row to rely on the result.
   */
  async spendable(tx: Tx, chainRef: string, tokenContract: string): Promise<bigint | null> {
    const [row] = await sql<{ units: string | null }>(tx, SPENDABLE_STATEMENT, [chainRef, tokenContract]);
    if (row === undefined || row.units === null) return null;
    const units = BigInt(row.units);
    return units > 0n ? units : 0n;
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
    const rows = await this.database.query<{
      chain_ref: string;
      symbol: string;
      amount: string;
      decimals: number;
      minor_unit_exponent: number;
    }>(
      `select balance.chain_ref, token.symbol, balance.amount, token.decimals, token.minor_unit_exponent
         from hot_balance balance join chain on chain.id = balance.chain_ref and chain.active
         join chain_token token on token.chain_ref = balance.chain_ref and token.contract = balance.token_contract
        where token.enabled or token.contract = $1`,
      [NATIVE_COIN],
    );
    for (const { chain_ref: chainRef, symbol, amount, decimals, minor_unit_exponent: exponent } of rows) {
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
    const held = [[NATIVE_COIN, ...tokens], balances.map(String)];
    await this.database.query(
      `insert into hot_balance (chain_ref, token_contract, amount, height, taken_at)
       select $1, contract, amount, $2, now() from unnest($3::text[], $4::numeric[]) as held (contract, amount)
       on conflict (chain_ref, token_contract) do update
         set amount = excluded.amount, height = excluded.height, taken_at = excluded.taken_at
       where excluded.height > hot_balance.height`,
      [chainRef, height, ...held],
    );
    // Compared with the books once they hold everything up to this block.
    await this.database.query(RECORD_SNAPSHOT_STATEMENT, [chainRef, height, final.hash, finalNonce, ...held]);
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
    await this.database.query(
      `update hot_wallet set chain_nonce = greatest(chain_nonce, $2)
        where chain_ref = $1 and (chain_nonce is not null or not $3)`,
      [chain.chainRef, waiting, isCounted],
    );
  }
}

async function blockAt(client: ChainClient, height: number): Promise<BlockRef> {
  const header = await client.headerAt(height);
  if (header === null) throw new ChainUnavailable(`The node has no block ${height}, which is final.`);
  return header;
}
