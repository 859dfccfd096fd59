import { z } from 'zod';
import type { AuditedChain } from '../../src/auditor/audited-chain.js';
import { EvmChainClient } from '../../src/chains/evm/evm-chain-client.js';
import { devAccount } from '../../src/devtools/devnet/dev-accounts.js';
import { TEST_TOKEN } from '../../src/devtools/devnet/test-token.js';
import { newId } from '../../src/domain/ids.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { Metrics } from '../../src/platform/metrics.js';
import { HotBalances } from '../../src/treasury/wallets/hot-balances.service.js';
import { TopUps } from '../../src/treasury/wallets/top-ups.service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { AnvilNode } from './anvil-node.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { aChain, freeAddresses, type SeededChain } from './factories.js';
import { LogLines } from './log-lines.js';
import { aHotWallet, HOT_WALLET } from './outgoing.js';
import { hexOf } from './probe-contracts.js';
import { runtimeServing, sourceOf, testTokensOn } from './served-chains.js';
import { query } from './sql.js';

const STRANGER = `0x${'cd'.repeat(20)}`;

/** What is to be written down of a transaction that the wallet sent. */
export interface Sent {
  readonly hash: string;
  readonly height: number;
  readonly fee: bigint;
  /** Of the coin. */
  readonly value: bigint;
}

export interface FoundTopUp {
  readonly token: 'ETH' | 'USDC';
  readonly amount: string;
  readonly from_height: string;
  readonly to_height: string;
}

/** A hot wallet on a real chain that a spec controls, and its comparison with the ledger. */
export class HotWalletScene {
  chain!: SeededChain;
  metrics = new Metrics();
  log = new LogLines();
  topUps!: TopUps;
  chains!: TreasuryChains;
  private balances!: HotBalances;
  private clean = '';
  private nonce = 0;

  private constructor(
    readonly db: TestDatabase,
    readonly node: AnvilNode,
    readonly client: EvmChainClient,
    readonly usdc: string,
  ) {}

  static async open(): Promise<HotWalletScene> {
    const [db, node] = await Promise.all([freshDatabase(), AnvilNode.start()]);
    const profile = { network: 'ethereum', finality: { minDepth: 0 } } as const;
    const [usdc = ''] = await testTokensOn(node, [6]);
    const scene = new HotWalletScene(db, node, new EvmChainClient({ profile, rpcUrl: node.url }), usdc);
    scene.clean = await node.ask(z.string(), 'evm_snapshot');
    return scene;
  }

  get database(): Database {
    return this.db.database;
  }

  /** A chain with a wallet that holds nothing and has sent nothing: the node is as it was at first. */
  async begin(): Promise<void> {
    await this.node.send('evm_revert', this.clean);
    this.clean = await this.node.ask(z.string(), 'evm_snapshot');
    this.nonce = 0;
    await query(this.database, `update chain set active = false, genesis_hash = id`);
    this.chain = await aChain(this.database, { network: 'ethereum' });
    const { chainRef } = this.chain;
    const { genesisHash } = await this.client.identity();
    await query(this.database, `update chain set genesis_hash = $2 where id = $1`, [chainRef, genesisHash]);
    await query(this.database, `update chain_token set contract = $2 where chain_ref = $1`, [chainRef, this.usdc]);
    await query(
      this.database,
      `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
       values ($1, 'native', 'ETH', 18, 8, true)`,
      [chainRef],
    );
    await aHotWallet(this.database, chainRef);
    this.serveBy(this.node.url);
  }

  /** Ends what `begin` began. */
  async end(): Promise<void> {
    await this.chains.beforeApplicationShutdown();
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.node.stop();
    await this.db.drop();
  }

  /** Uses these nodes from here on, the first one preferred. */
  serveBy(...rpcUrls: string[]): void {
    [this.metrics, this.log] = [new Metrics(), new LogLines()];
    const logger = createLogger('info', { destination: this.log });
    const runtime = runtimeServing([{ ...sourceOf('ethereum', ''), rpcUrls }]);
    this.chains = new TreasuryChains(this.database, runtime, logger);
    this.balances = new HotBalances(this.database, this.metrics, this.chains, logger);
    this.topUps = this.comparer();
  }

  /** Returns another comparer of the wallet with the books, as each process has one. */
  comparer(): TopUps {
    const logger = createLogger('info', { destination: this.log });
    return new TopUps(this.database, new LedgerService(), this.metrics, this.chains, logger);
  }

  /** Finalizes every block, reads the balances of the wallet and compares them with the books. Returns the height. */
  async compare(): Promise<number> {
    const height = await this.finalize();
    await this.balances.refresh();
    await this.topUps.bookFound();
    return height;
  }

  /** Finalizes every block. */
  async finalize(): Promise<number> {
    const { height } = await this.client.head();
    await query(this.database, `update chain_cursor set height = $2, finalized_height = $2 where chain_ref = $1`, [
      this.chain.chainRef,
      height,
    ]);
    return height;
  }

  /** The chain as the auditor sees it, at the newest block or at an earlier one. */
  async audited(height?: number): Promise<AuditedChain> {
    const { chainRef, environment, network } = this.chain;
    const final = await this.client.headerAt(height ?? (await this.client.head()).height);
    if (final === null) throw new Error('There is no such block.');
    return { chainRef, environment, network, tokens: [this.usdc], client: this.client, final };
  }

  async give(coins: bigint): Promise<void> {
    await this.send({ from: devAccount('faucet').address, to: HOT_WALLET, value: hexOf(coins) });
  }

  async giveTokens(units: bigint): Promise<void> {
    const data = TEST_TOKEN.encodeFunctionData('transfer', [HOT_WALLET, units]);
    await this.send({ from: devAccount('faucet').address, to: this.usdc, data });
  }

  /** The wallet pays coins to somebody. */
  async pay(value: bigint): Promise<Sent> {
    return { ...(await this.send({ from: HOT_WALLET, to: STRANGER, value: hexOf(value) })), value };
  }

  /** Inserts the row of a final transaction. */
  async writeDown(sent: Sent, status: 'succeeded' | 'reverted' = 'succeeded'): Promise<void> {
    const { hash, height, value, fee } = sent;
    await query(
      this.database,
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status, mined_hash, mined_height, fee_paid, finished_at)
       values ($1, $2, 'withdrawal', $1, $3, $4, $5, $6, '0x', 21000, 'native', $6, $7, $8, $9, $10, now())`,
      [newId('ctx_'), this.chain.chainRef, HOT_WALLET, this.nonce++, STRANGER, value, status, hash, height, fee],
    );
  }

  /** Inserts the rows of a final sweep that brought this many tokens in the block. */
  async sweepBrought(units: bigint, height: number): Promise<void> {
    const { chainRef } = this.chain;
    const [address = ''] = await freeAddresses(this.database, 1);
    const id = newId('swp_');
    await query(
      this.database,
      `with place as (select id from pool_address where address = $1),
            balance as (insert into deposit_balance (chain_ref, token_contract, address_id, received, swept)
                        select $2, $3, id, $4, $4 from place),
            sweeps as (insert into sweep (id, chain_ref, reason, delegate, batch, finished_at)
                       values ($5, $2, 'threshold', '0x', '0x', now()))
       insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected, swept, swept_height)
       select $5, 0, $2, $3, id, $4, $4, $6 from place`,
      [address, chainRef, this.usdc, units, id, height],
    );
  }

  /** The top-ups of the wallet, as they were found. */
  found(): Promise<FoundTopUp[]> {
    return query<FoundTopUp>(
      this.database,
      `select case token_contract when 'native' then 'ETH' else 'USDC' end as token, amount, from_height, to_height
         from top_up where chain_ref = $1 order by id`,
      [this.chain.chainRef],
    );
  }

  /** Waits until it is mined. */
  private async send(transaction: object): Promise<Omit<Sent, 'value'>> {
    const hash = await this.node.ask(z.string(), 'eth_sendTransaction', transaction);
    const receipt = await eventually(async () => (await this.client.outgoing.receiptsOf([hash]))[0] ?? null);
    return { hash, height: receipt.height, fee: receipt.gasUsed * receipt.effectiveGasPrice };
  }
}
