import { address, type KeyPairSigner } from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { AccountClient } from '../../src/chains/accounts.js';
import type { NetworkProfile } from '../../src/chains/networks.js';
import { developmentProfile } from '../../src/chains/networks.js';
import type { ChainNodes } from '../../src/chains/nodes/chain-nodes.js';
import { ChainRegistry } from '../../src/chains/registry.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { SolanaGrant } from '../../src/devtools/devnet/solana/solana-controls.js';
import { ChainRegistrationService } from '../../src/offers/chain-registration.service.js';
import { AccountListener } from '../../src/payments/listener/accounts/account-listener.js';
import { createLogger } from '../../src/platform/logging.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { aMerchant, anIntent, freeAddresses, type SeededChain, type SeededIntent } from './factories.js';
import { holdLease } from './leases.js';
import { LogLines } from './log-lines.js';
import { type Lie, ProxyNode } from './proxy-node.js';
import { type SignedBytes, SolanaLab } from './solana-lab.js';
import { paymentIn, type SolanaPayment } from './solana-payments.js';
import { query } from './sql.js';

const LEASE = { name: 'listener:solana', epoch: 1 };

/** A deposit, as specs compare it. */
export interface ShownDeposit {
  readonly status: string;
  readonly amount: string;
  readonly token_contract: string;
  readonly tx_hash: string;
  readonly from_address: string | null;
  readonly to_address: string;
  readonly other_senders: readonly string[] | null;
  readonly block_height: string;
  readonly intent_id: string | null;
}

/** A Solana development chain with its books: a listener reads it whenever a spec says so. */
export class SolanaScene {
  readonly log = new LogLines();
  readonly touched = new Set<string>();
  private readonly proxies: ProxyNode[] = [];
  private registry: ChainRegistry | null = null;
  private listener: AccountListener | null = null;
  private ownsLab = true;

  private constructor(
    readonly lab: SolanaLab,
    readonly db: TestDatabase,
    readonly profile: NetworkProfile,
    readonly tenant: Tenant,
    readonly mints: { readonly USDC: string; readonly USDT: string },
    private readonly chainRef: string,
  ) {}

  /** @param shared a chain of several scenes, one after the other, that the spec closes; otherwise the scene has its own */
  static async open(shared?: SolanaLab): Promise<SolanaScene> {
    const [lab, db] = await Promise.all([shared ?? SolanaLab.open(), freshDatabase()]);
    await lab.settle();
    const info = await lab.controls.info();
    const { genesisHash } = info;
    const mints = { USDC: info.mints['USDC'] ?? '', USDT: info.mints['USDT'] ?? '' };
    const profile = developmentProfile({ network: 'solana', chainId: genesisHash, contracts: mints });
    const registry = new ChainRegistry([{ profile, rpcUrls: [lab.chain.url] }]);
    const start = await nodesIn(registry).attempt(async ({ client }) => client.head());
    await registry.close();
    const { chainRef } = await new ChainRegistrationService(db.database).register({
      profile,
      identity: { chainId: genesisHash, genesisHash },
      start,
      disabledTokens: new Map(),
      mayReplace: true,
    });
    await holdLease(db.database, LEASE);
    const scene = new SolanaScene(lab, db, profile, await aMerchant(db.database), mints, chainRef);
    scene.ownsLab = shared === undefined;
    return scene;
  }

  async close(): Promise<void> {
    await this.stopListening();
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await Promise.all([this.ownsLab ? this.lab.close() : null, this.db.drop()]);
  }

  /** The chain as it offers one token. */
  chain(symbol = 'USDC'): SeededChain {
    const token = this.profile.tokens.find((one) => one.symbol === symbol);
    if (token === undefined) throw new Error(`There is no ${symbol}.`);
    return { ...token, chainRef: this.chainRef, environment: 'sandbox', network: 'solana' };
  }

  /** An open intent of 25 dollars. */
  intent(symbol = 'USDC', expiresIn = 3600): Promise<SeededIntent> {
    return anIntent(this.db.database, { tenant: this.tenant, chain: this.chain(symbol), expiresIn });
  }

  /** An address of the pool that no intent has. */
  async freeAddress(): Promise<{ readonly address: string }> {
    const [free = ''] = await freeAddresses(this.db.database, 1, 'sandbox', undefined, 'solana');
    return { address: free };
  }

  /** Gives coins or tokens to an owner, in a block of their own. */
  async fund(grant: SolanaGrant): Promise<string> {
    const txHash = await this.lab.controls.fund(grant);
    await this.lab.controls.mine();
    return txHash;
  }

  /** A wallet with USDC, and coins for fees. */
  async payer(amount: bigint, token: 'USDC' | 'USDT' = 'USDC'): Promise<KeyPairSigner> {
    const wallet = await this.lab.newWallet();
    await this.fund({ owner: wallet.address, token, amount });
    return wallet;
  }

  /** Payments in USDC by the faucet in one transaction, signed and not sent. */
  async signedPayments(payments: readonly SolanaPayment[]): Promise<SignedBytes> {
    const { lab, mints } = this;
    const instructions = await Promise.all(payments.map((payment) => paymentIn(mints.USDC, lab.faucet, payment)));
    return lab.sign(instructions.flat());
  }

  /** Makes payments in one transaction, in a block of their own. Returns its signature. */
  async pay(payments: readonly SolanaPayment[]): Promise<string> {
    return this.lab.land(await this.signedPayments(payments));
  }

  /** Pays USDC into this very token account, of any owner. Returns the signature. */
  async payInto(account: string, amount: bigint): Promise<string> {
    const { lab, mints } = this;
    const mint = address(mints.USDC);
    const [source] = await findAssociatedTokenPda({
      owner: lab.faucet.address,
      mint,
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    const [destination, authority] = [address(account), lab.faucet];
    const paid = getTransferCheckedInstruction({ source, mint, destination, authority, amount, decimals: 6 });
    const txHash = await lab.land(await lab.sign([paid]));
    await lab.settle();
    return txHash;
  }

  /** The newest confirmed block. */
  async head(): Promise<{ readonly slot: number }> {
    return { slot: Number(await this.lab.rpc.getSlot({ commitment: 'confirmed' }).send()) };
  }

  /** A second way to the chain, which may lie; null = honest. */
  async proxy(lie: Lie | null): Promise<ProxyNode> {
    const proxy = await ProxyNode.start(this.lab.chain.url);
    this.proxies.push(proxy);
    proxy.lie = lie;
    return proxy;
  }

  /** Lets the listener read now. One is started through the chain itself, if there is none. */
  nudge(): void {
    (this.listener ?? this.listen()).nudge();
  }

  /** Lets the listener read now, if there is one. */
  hurry(): void {
    this.listener?.nudge();
  }

  /** Listens through these nodes until `stopListening`, whatever else the spec does. */
  listen(rpcUrls: readonly string[] = [this.lab.chain.url]): AccountListener {
    const registry = new ChainRegistry([{ profile: this.profile, rpcUrls }]);
    this.registry = registry;
    this.listener = new AccountListener({
      chainRef: this.chainRef,
      profile: this.profile,
      nodes: nodesIn(registry),
      secondNodeAboveCents: 0,
      database: this.db.database,
      lease: LEASE,
      logger: createLogger('info', { destination: this.log }),
      onTouched: (ids) => {
        for (const id of ids) this.touched.add(id);
      },
      onProgress: () => undefined,
      onDoubt: () => undefined,
      onPaused: () => undefined,
      onDenied: () => undefined,
    });
    return this.listener;
  }

  async stopListening(): Promise<void> {
    await this.listener?.stop();
    await this.registry?.close();
    this.listener = null;
    this.registry = null;
  }

  /** Every deposit, the oldest first. */
  deposits(): Promise<ShownDeposit[]> {
    return query(
      this.db.database,
      `select status, amount, token_contract, tx_hash, from_address, to_address, other_senders, block_height, intent_id
         from deposit order by seen_at, id`,
    );
  }

  /** Waits until there are as many deposits, all of this status. */
  untilDeposits(count: number, status: string): Promise<ShownDeposit[]> {
    return eventually(
      () => {
        this.hurry();
        return this.deposits();
      },
      (found) => found.length === count && found.every((deposit) => deposit.status === status),
    );
  }

  /** The cursor of the chain. */
  async cursor(): Promise<{ height: number; finalizedHeight: number; doubt: string | null }> {
    const [row] = await query<{ height: string; finalized_height: string; finality_doubt: string | null }>(
      this.db.database,
      `select height, finalized_height, finality_doubt from chain_cursor where chain_ref = $1`,
      [this.chainRef],
    );
    return {
      height: Number(row?.height),
      finalizedHeight: Number(row?.finalized_height),
      doubt: row?.finality_doubt ?? null,
    };
  }
}

function nodesIn(registry: ChainRegistry): ChainNodes<AccountClient> {
  const served = registry.get('sandbox', 'solana');
  if (served?.reading !== 'accounts') throw new Error('The chain is read by accounts.');
  return served.nodes;
}
