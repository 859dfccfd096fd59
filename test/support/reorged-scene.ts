import { keccak256 } from 'ethers';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { EvmChainClient } from '../../src/chains/evm/evm-chain-client.js';
import type { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { ReorgedDeposits } from '../../src/suspense/reorged-deposits.service.js';
import { TreasuryChains } from '../../src/treasury/treasury-chains.service.js';
import { AnvilNode } from './anvil-node.js';
import { type CliRun, runCommand } from './cli-run.js';
import type { TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain, type SeededIntent } from './factories.js';
import { LogLines } from './log-lines.js';
import { aHotWallet } from './outgoing.js';
import { hexOf } from './probe-contracts.js';
import { runtimeServing, sourceOf } from './served-chains.js';
import { settlementOn } from './settlement.js';
import { query } from './sql.js';

const RECEIPT = z.object({ blockNumber: z.string(), blockHash: z.string() });

/** A transaction and the block that holds it. */
export interface Mined {
  readonly txHash: string;
  readonly blockHash: string;
  readonly blockHeight: number;
}

/** A chain of the books on an anvil of its own, with a hot wallet, and an intent that is paid there in its coin. */
export class ReorgedScene {
  readonly log = new LogLines();
  readonly reorged: ReorgedDeposits;
  private readonly chains: TreasuryChains;

  private constructor(
    private readonly db: TestDatabase,
    readonly node: AnvilNode,
    readonly chain: SeededChain,
    readonly intent: SeededIntent,
  ) {
    const logger = createLogger('info', { destination: this.log });
    this.chains = new TreasuryChains(db.database, runtimeServing([sourceOf('ethereum', node.url)]), logger);
    this.reorged = new ReorgedDeposits(db.database, this.chains, logger);
  }

  static async open(db: TestDatabase): Promise<ReorgedScene> {
    const { database } = db;
    const node = await AnvilNode.start();
    await query(database, `update chain set active = false, genesis_hash = id`);
    const chain = await aChain(database, { network: 'ethereum', coin: 'ETH' });
    await query(database, `update chain set genesis_hash = $2 where id = $1`, [
      chain.chainRef,
      await genesisOf(node.url),
    ]);
    await aHotWallet(database, chain.chainRef);
    return new ReorgedScene(db, node, chain, await anIntent(database, { tenant: await aMerchant(database), chain }));
  }

  async close(): Promise<void> {
    await this.chains.beforeApplicationShutdown();
    await this.node.stop();
  }

  /** The payment of the intent on the chain, in a block that the listener remembers; `raw` are its signed bytes. */
  async pay(): Promise<{ readonly place: Mined; readonly raw: string }> {
    const { node, intent } = this;
    const [from] = await node.ask(z.array(z.string()), 'eth_accounts');
    const order = { from, to: intent.address, value: hexOf(intent.cryptoAmount) };
    const txHash = await node.ask(z.string(), 'eth_sendTransaction', order);
    const { blockHash, blockNumber } = await this.mined(txHash);
    const raw = await node.ask(z.string(), 'eth_getRawTransactionByHash', txHash);
    const blockHeight = Number(blockNumber);
    await query(
      this.database,
      `insert into chain_block (chain_ref, height, hash, parent_hash, block_time) values ($1, $2, $3, '0x', now())`,
      [this.chain.chainRef, blockHeight, blockHash],
    );
    return { place: { txHash, blockHash, blockHeight }, raw };
  }

  /** The intent's payment, final and not credited yet. */
  async aFinalPayment(): Promise<string> {
    return this.aDepositAt((await this.pay()).place);
  }

  aDepositAt(place: Mined): Promise<string> {
    return aDeposit(this.database, this.intent, { status: 'confirmed', ...place });
  }

  /** The intent's payment, which was final, and which the chain then lost: other blocks are final in its place. */
  async aLostPayment({ isCredited = true } = {}): Promise<{ readonly id: string; readonly raw: string }> {
    const before = await this.node.ask(z.string(), 'evm_snapshot');
    const { raw, place } = await this.pay();
    const id = await this.aDepositAt(place);
    if (isCredited) await settlementOn(this.database).settle(this.intent.id);
    await this.node.send('evm_revert', before);
    await this.node.mine(5);
    return { id, raw };
  }

  /** Has signed bytes mined once more. */
  async resend(raw: string): Promise<void> {
    await this.node.send('eth_sendRawTransaction', raw);
    await this.mined(keccak256(raw));
  }

  private mined(txHash: string): Promise<z.infer<typeof RECEIPT>> {
    return eventually(() => this.node.ask(RECEIPT.nullable(), 'eth_getTransactionReceipt', txHash));
  }

  async halt(reason: string | null = 'Block 1 is another one.'): Promise<void> {
    await query(this.database, `update chain_cursor set halted_reason = $2 where chain_ref = $1`, [
      this.chain.chainRef,
      reason,
    ]);
  }

  async isReorged(id: string): Promise<boolean> {
    const rows = await query(this.database, `select from deposit where id = $1 and gone_at is not null`, [id]);
    return rows.length > 0;
  }

  async frozenReason(): Promise<string | null> {
    const [row] = await query<{ frozen_reason: string | null }>(
      this.database,
      `select frozen_reason from hot_wallet where chain_ref = $1`,
      [this.chain.chainRef],
    );
    return row?.frozen_reason ?? null;
  }

  /** Runs `coffer ...` where no node is configured. */
  coffer(...args: string[]): Promise<CliRun> {
    return runCommand(args, { DATABASE_URL: this.db.url });
  }

  /** Runs `coffer ...` where the chain's node is configured, by the file of a sandbox. */
  async cofferAsking(...args: string[]): Promise<CliRun> {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-reorged-'));
    const { url } = this.node;
    const faucet = { address: `0x${'0'.repeat(40)}`, private_key: '0x' };
    const ethereum = { rpc_url: url, chain_id: 31_337, tokens: {}, pockets: {}, faucet };
    const sandbox = { api_url: url, api_key: '', merchant_id: '', networks: { ethereum } };
    await writeFile(join(dataDir, 'sandbox.json'), JSON.stringify(sandbox), { mode: 0o600 });
    try {
      return await runCommand(args, { DATABASE_URL: this.db.url, DATA_DIR: dataDir });
    } finally {
      await rm(dataDir, { recursive: true });
    }
  }

  private get database(): Database {
    return this.db.database;
  }
}

async function genesisOf(rpcUrl: string): Promise<string> {
  const client = new EvmChainClient({ profile: { network: 'ethereum', finality: { minDepth: 0 } }, rpcUrl });
  const { genesisHash } = await client.identity();
  await client.close();
  return genesisHash;
}
