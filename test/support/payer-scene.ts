import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developmentProfile, type NetworkProfile } from '../../src/chains/networks.js';
import type { SolanaDevChain } from '../../src/devtools/devnet/solana/solana-dev-chain.js';
import type { TronDevChain } from '../../src/devtools/devnet/tron/tron-dev-chain.js';
import { newId } from '../../src/domain/ids.js';
import { ChainRegistrationService } from '../../src/offers/chain-registration.service.js';
import { createLogger } from '../../src/platform/logging.js';
import { waitFor } from '../../src/platform/processes.js';
import type { JobQueue } from '../../src/platform/queue/job-queue.js';
import { SandboxOrders } from '../../src/sandbox/sandbox-orders.js';
import { SandboxPayer } from '../../src/sandbox/sandbox-payer.service.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { aMerchant, anIntent, type SeededChain, type SeededIntent } from './factories.js';
import { runtimeServing } from './served-chains.js';

const WITHIN_MS = 60_000;

/** A development chain whose transactions expire. */
export type ExpiringDevChain = SolanaDevChain | TronDevChain;

/** An order of the sandbox, as it is stored. */
interface OrderRow {
  readonly status: string;
  readonly chain_ref: string;
  readonly tx_hash: string | null;
  readonly raw_transaction: string | null;
  readonly failure: string | null;
}

interface PayerSceneOptions<Chain> {
  /** Starts the chain on a data directory. */
  readonly start: (dataDir: string) => Promise<Chain>;
  /** Reads how much of its token the address of an intent holds. */
  readonly balanceOf: (chain: Chain, intent: SeededIntent) => Promise<bigint>;
}

/** The payer of the sandbox beside a development chain whose transactions expire. No listener runs. */
export class PayerScene<Chain extends ExpiringDevChain> {
  private readonly options: PayerSceneOptions<Chain>;
  private readonly dataDir: string;
  chain: Chain;
  db!: TestDatabase;
  payer!: SandboxPayer;
  chainRef!: string;
  private profile!: NetworkProfile;

  private constructor(options: PayerSceneOptions<Chain>, dataDir: string, chain: Chain) {
    this.options = options;
    this.dataDir = dataDir;
    this.chain = chain;
  }

  static async open<Chain extends ExpiringDevChain>(options: PayerSceneOptions<Chain>): Promise<PayerScene<Chain>> {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-payer-'));
    return new PayerScene(options, dataDir, await options.start(dataDir));
  }

  async close(): Promise<void> {
    await this.chain.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Makes an empty database, in which the chain is registered. */
  async setUp(): Promise<void> {
    this.db = await freshDatabase();
    await this.register();
  }

  /** Replaces the chain by a new one, which knows nothing of the former. */
  async replaceChain(): Promise<void> {
    await this.chain.stop();
    await rm(join(this.dataDir, 'devnet'), { recursive: true });
    this.chain = await this.options.start(this.dataDir);
    await this.register();
  }

  async intentIn(symbol: string): Promise<SeededIntent> {
    return anIntent(this.db.database, { tenant: await aMerchant(this.db.database), chain: this.seeded(symbol) });
  }

  async order(intent: SeededIntent, amount: bigint): Promise<string> {
    const id = newId('ord_');
    await this.db.query(
      `insert into sandbox_payment (id, intent_id, chain_ref, token_contract, to_address, amount, status)
       values ($1, $2, $3, $4, $5, $6, 'queued')`,
      [id, intent.id, this.chainRef, intent.chain.contract, intent.address, amount.toString()],
    );
    return id;
  }

  async rowOf(id: string): Promise<OrderRow> {
    const [row] = await this.db.query<OrderRow>(
      `select status, chain_ref, tx_hash, raw_transaction, failure from sandbox_payment where id = $1`,
      [id],
    );
    if (row === undefined) throw new Error('There is no such order.');
    return row;
  }

  pay(paymentId: string): Promise<void> {
    return this.payer.execute({ paymentId });
  }

  /** Orders a payment that is in the newest block of a paused chain. */
  async minedOrder(symbol: string, amount: bigint) {
    const intent = await this.intentIn(symbol);
    const id = await this.order(intent, amount);
    await this.chain.controls.pause();
    await this.pay(id);
    const sent = await this.rowOf(id);
    await this.chain.controls.mine();
    return { intent, id, sent };
  }

  /** Advances an order again and again until it has a status. */
  async untilStatus(id: string, status: string): Promise<OrderRow> {
    const found = await waitFor(async () => {
      await this.pay(id);
      const row = await this.rowOf(id);
      return row.status === status ? row : null;
    }, WITHIN_MS);
    if (found === null) throw new Error(`The order is still ${(await this.rowOf(id)).status}.`);
    return found;
  }

  balanceOf(intent: SeededIntent): Promise<bigint> {
    return this.options.balanceOf(this.chain, intent);
  }

  /** Waits until the address of an intent holds an amount; null when it never does. */
  untilHeld(intent: SeededIntent, amount: bigint): Promise<true | null> {
    return waitFor(async () => ((await this.balanceOf(intent)) === amount ? true : null), WITHIN_MS);
  }

  /** Acts as the listener once it has recorded every block that there will be. */
  async readAll(): Promise<void> {
    await this.db.query(`update chain_cursor set finalized_height = 9007199254740991`);
  }

  /** Registers the chain as the listener does, in place of the one before. */
  private async register(): Promise<void> {
    const { chain, db } = this;
    const { genesisHash, tokens } = chain;
    const contracts = Object.fromEntries(Object.entries(tokens).map(([symbol, { address }]) => [symbol, address]));
    this.profile = developmentProfile({ network: chain.network, chainId: genesisHash, contracts });
    const firstBlock = { height: 0, hash: genesisHash, parentHash: genesisHash, time: new Date() };
    const identity = { chainId: genesisHash, genesisHash };
    const registration = {
      profile: this.profile,
      identity,
      start: firstBlock,
      disabledTokens: new Map(),
      mayReplace: true,
    };
    ({ chainRef: this.chainRef } = await new ChainRegistrationService(db.database).register(registration));
    const queue: Pick<JobQueue, 'wakeMany'> = { wakeMany: () => undefined };
    const runtime = { ...runtimeServing([]), devChains: [chain] };
    this.payer = new SandboxPayer(new SandboxOrders(db.database), queue as JobQueue, runtime, createLogger('silent'));
  }

  private seeded(symbol: string): SeededChain {
    const token = this.profile.tokens.find((one) => one.symbol === symbol);
    if (token === undefined) throw new Error(`There is no ${symbol}.`);
    return { ...token, chainRef: this.chainRef, environment: 'sandbox', network: this.chain.network };
  }
}
