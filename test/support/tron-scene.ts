import type { BlockClient } from '../../src/chains/chain.js';
import { hashOfKey } from '../../src/chains/tron/tron-address.js';
import { developmentProfile, type NetworkProfile } from '../../src/chains/networks.js';
import type { ChainNodes } from '../../src/chains/nodes/chain-nodes.js';
import { ChainRegistry } from '../../src/chains/registry.js';
import type { Fault } from '../../src/devtools/chaos/fault.js';
import { FaultProxy } from '../../src/devtools/chaos/fault-proxy.js';
import { TRON_HTTP } from '../../src/devtools/chaos/tron-format.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { ChainRegistrationService } from '../../src/offers/chain-registration.service.js';
import { ChainListener } from '../../src/payments/listener/chain-listener.js';
import { DepositRecorder } from '../../src/payments/listener/deposit-recorder.service.js';
import { WatchedAddresses } from '../../src/payments/listener/watched-addresses.js';
import { createLogger } from '../../src/platform/logging.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { eventually, eventuallyPasses } from './eventually.js';
import { aMerchant, anIntent, freeAddresses, type SeededChain, type SeededIntent } from './factories.js';
import { holdLease } from './leases.js';
import { LogLines } from './log-lines.js';
import { query } from './sql.js';
import { TronNodeRig } from './tron-node-rig.js';

const LEASE = { name: 'listener:tron', epoch: 1 };

/** How far the solid block of these chains is behind; `settle` makes more blocks. */
export const SOLIDITY_DISTANCE = 3;

/** A deposit, as specs compare it. */
export interface TronDeposit {
  readonly status: string;
  readonly amount: string;
  readonly token_contract: string;
  readonly tx_hash: string | null;
  readonly position: number;
  readonly from_address: string | null;
  readonly to_address: string;
  readonly block_height: string;
  readonly intent_id: string | null;
  readonly unattributed_reason: string | null;
}

/** A Tron development chain with its books, and a listener that reads it as often as a spec wants. */
export class TronScene {
  readonly log = new LogLines();
  private readonly proxies: FaultProxy[] = [];
  private registry: ChainRegistry | null = null;
  private listener: ChainListener | null = null;

  private constructor(
    readonly rig: TronNodeRig,
    readonly db: TestDatabase,
    readonly profile: NetworkProfile,
    readonly tenant: Tenant,
    readonly tokens: { readonly USDT: string; readonly USDC: string },
    readonly contracts: { readonly PayoutBox: string; readonly RevertingForwarder: string },
    private readonly chainRef: string,
  ) {}

  static async open(): Promise<TronScene> {
    const [rig, db] = await Promise.all([TronNodeRig.start(), freshDatabase()]);
    await rig.controls.setSolidityDistance(SOLIDITY_DISTANCE);
    const { genesisId, tokens, contracts } = await rig.controls.mine(SOLIDITY_DISTANCE + 1);
    const profile = developmentProfile({ network: 'tron', chainId: genesisId, contracts: tokens });
    const registry = new ChainRegistry([{ profile, rpcUrls: [rig.url] }]);
    const start = await nodesIn(registry).attempt(async ({ client }) => {
      return client.headerAt(await client.finalizedHeight(await client.head()));
    });
    await registry.close();
    if (start === null) throw new Error('The chain has no final block.');
    const { chainRef } = await new ChainRegistrationService(db.database).register({
      profile,
      identity: { chainId: genesisId, genesisHash: genesisId },
      start,
      disabledTokens: new Map(),
      mayReplace: true,
    });
    await holdLease(db.database, LEASE);
    return new TronScene(rig, db, profile, await aMerchant(db.database), tokens, contracts, chainRef);
  }

  async close(): Promise<void> {
    await this.stopListening();
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await Promise.all([this.rig.remove(), this.db.drop()]);
  }

  /** The chain as it offers one token, or its coin. */
  chain(symbol = 'USDT'): SeededChain {
    const token = this.profile.tokens.find((one) => one.symbol === symbol);
    if (token === undefined) throw new Error(`There is no ${symbol}.`);
    return { ...token, chainRef: this.chainRef, environment: 'sandbox', network: 'tron' };
  }

  /** An open intent of 25 dollars. */
  intent(symbol = 'USDT', expiresIn = 3600): Promise<SeededIntent> {
    return anIntent(this.db.database, { tenant: this.tenant, chain: this.chain(symbol), expiresIn });
  }

  /** An address of the pool that no intent has. */
  async freeAddress(): Promise<string> {
    const [address = ''] = await freeAddresses(this.db.database, 1, 'sandbox', undefined, 'tron');
    return address;
  }

  /** Lets a contract pay TRX that it has, so that they arrive without a transaction of their own. */
  payThroughContract(to: string, sun: bigint): Promise<string> {
    return this.rig.call(this.contracts.PayoutBox, 'pay(address,uint256)', [hashOfKey(to), sun.toString(16)]);
  }

  /** Makes blocks until everything is final. */
  async settle(): Promise<void> {
    await this.rig.controls.mine(SOLIDITY_DISTANCE + 1);
  }

  /** A way to the chain through faults; none are armed yet. */
  async proxy(...faults: readonly Fault[]): Promise<FaultProxy> {
    const proxy = await FaultProxy.start({ target: { url: this.rig.url }, format: TRON_HTTP, seed: 1 });
    this.proxies.push(proxy);
    proxy.arm(faults);
    return proxy;
  }

  /** Listens through these nodes until `stopListening`, to these tokens and the coin. */
  listen({
    rpcUrls = [this.rig.url],
    listed = ['USDT', 'USDC', 'TRX'],
    secondNodeAboveCents = 1_000_000,
  }: {
    readonly rpcUrls?: readonly string[];
    readonly listed?: readonly string[];
    readonly secondNodeAboveCents?: number;
  } = {}): void {
    const profile = { ...this.profile, tokens: this.profile.tokens.filter(({ symbol }) => listed.includes(symbol)) };
    const registry = new ChainRegistry([{ profile, rpcUrls }]);
    this.registry = registry;
    const { database } = this.db;
    const logger = createLogger('info', { destination: this.log });
    this.listener = new ChainListener({
      chainRef: this.chainRef,
      profile,
      nodes: nodesIn(registry),
      secondNodeAboveCents,
      database,
      lease: LEASE,
      logger,
      watched: new WatchedAddresses(database, 'sandbox', 'tron'),
      recorder: new DepositRecorder(database, logger),
      onTouched: () => undefined,
      onProgress: () => undefined,
      onDoubt: () => undefined,
      onPaused: () => undefined,
      onDenied: () => undefined,
    });
  }

  async stopListening(): Promise<void> {
    await this.listener?.stop();
    await this.registry?.close();
    this.listener = null;
    this.registry = null;
  }

  /** Lets the listener read now, if there is one. */
  hurry(): void {
    this.listener?.nudge();
  }

  /** Waits until a check passes, and lets the listener read meanwhile. */
  async until(check: () => Promise<void>): Promise<void> {
    await eventuallyPasses(async () => {
      this.hurry();
      await check();
    });
  }

  /** Waits until every block up to the head of the chain is recorded, and every solid one final. */
  async untilRead(): Promise<void> {
    const { head, headId, solid } = await this.rig.controls.info();
    await eventually(
      () => {
        this.hurry();
        return this.cursor();
      },
      ({ height, hash, finalizedHeight }) => height === head && hash === headId && finalizedHeight === solid,
    );
  }

  /** Every deposit that counts, in the order of the chain. */
  deposits(): Promise<TronDeposit[]> {
    return query(
      this.db.database,
      `select status, amount, token_contract, tx_hash, position, from_address, to_address, block_height, intent_id,
              unattributed_reason
         from deposit where status <> 'orphaned' order by block_height, tx_hash nulls last, position`,
    );
  }

  /** How far the chain is recorded. */
  async cursor(): Promise<{
    readonly height: number;
    readonly hash: string;
    readonly finalizedHeight: number;
    readonly doubt: string | null;
    readonly coinsReadTo: Date | null;
  }> {
    const [row] = await query<{
      height: string;
      hash: string;
      finalized_height: string;
      finality_doubt: string | null;
      coins_read_to: string | null;
    }>(
      this.db.database,
      `select height, hash, finalized_height, finality_doubt, coins_read_to from chain_cursor where chain_ref = $1`,
      [this.chainRef],
    );
    if (row === undefined) throw new Error('The chain has no cursor.');
    return {
      height: Number(row.height),
      hash: row.hash,
      finalizedHeight: Number(row.finalized_height),
      doubt: row.finality_doubt,
      coinsReadTo: row.coins_read_to === null ? null : new Date(row.coins_read_to),
    };
  }
}

function nodesIn(registry: ChainRegistry): ChainNodes<BlockClient> {
  const served = registry.get('sandbox', 'tron');
  if (served?.reading !== 'blocks') throw new Error('The chain is read by blocks.');
  return served.nodes;
}
