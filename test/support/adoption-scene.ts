import { keccak256, toQuantity } from 'ethers';
import { Adoption } from '../../src/recovery/adoption.service.js';
import type { ChainNodes } from '../../src/chains/nodes/chain-nodes.js';
import { developmentProfile } from '../../src/chains/networks.js';
import { blockNodes } from './block-nodes.js';
import { ChainRegistry } from '../../src/chains/registry.js';
import { transferCall } from '../../src/chains/evm/transfer-call.js';
import type { TreasuryChain } from '../../src/treasury/treasury-chains.service.js';
import type { UnsignedEvmTransaction } from '../../src/chains/evm/evm-transaction.js';
import type { Adopted } from '../../src/recovery/adoption.service.js';
import { SigningFreeze } from '../../src/withdrawals/payouts/signing-freeze.service.js';
import { anEvmTransaction } from './evm-transactions.js';
import { FakeNode } from './fake-node.js';
import { PayoutScene } from './payout-scene.js';
import { rpcTransaction } from './rpc-transaction.js';
import { query } from './sql.js';

/** The options of an operator's adoption. */
export interface AdoptionOptions {
  readonly asLoss?: boolean;
  readonly supersede?: boolean;
}

const HOT_WALLET = { kind: 'hot_wallet', network: 'polygon' } as const;
const CHAIN_ID = '31337';
const BLOCK = { number: '0x64', hash: `0x${'01'.repeat(32)}`, parentHash: `0x${'02'.repeat(32)}` };

/**
 * A hot wallet with transactions that a restored database does not have: a node has the vault's bytes, and no row does. The
 * node has the bytes in `sent`, and counts `mined` transactions: none has a receipt, unless `minedAt` is set.
 */
export class AdoptionScene {
  /** The height of the block with all mined transactions. */
  static readonly minedHeight = Number(BLOCK.number);
  /** The number of the wallet's mined transactions, by the node. */
  mined = 0;
  /** The time of the block with all of `sent`; null when they are not mined. */
  minedAt: Date | null = null;
  /** The number of further transactions in the node's pool. */
  pooled = 0;
  private readonly sent = new Map<string, Record<string, unknown>>();

  private constructor(
    readonly payouts: PayoutScene,
    private readonly node: FakeNode,
    private readonly nodes: ChainNodes,
  ) {}

  static async open(): Promise<AdoptionScene> {
    const payouts = await PayoutScene.open();
    const node = await FakeNode.start();
    const profile = developmentProfile({ network: 'polygon', chainId: CHAIN_ID, contracts: {} });
    const nodes = blockNodes(new ChainRegistry([{ profile, rpcUrls: [node.url] }]), 'polygon');
    const scene = new AdoptionScene(payouts, node, nodes);
    node.methods = {
      eth_chainId: () => '0x7a69',
      eth_getBlockByNumber: () => ({
        ...BLOCK,
        timestamp: toQuantity(Math.floor(Number(scene.minedAt ?? 1_000) / 1_000)),
      }),
      eth_getTransactionByHash: (hash) => scene.sent.get(String(hash)) ?? null,
      eth_getTransactionCount: (_address, at) =>
        `0x${(scene.mined + (at === 'pending' ? scene.pooled : 0)).toString(16)}`,
      eth_getTransactionReceipt: (hash) =>
        scene.minedAt === null || !scene.sent.has(String(hash)) ? null : receiptOf(String(hash)),
    };
    return scene;
  }

  async close(): Promise<void> {
    await this.nodes.close();
    await this.node.stop();
    await this.payouts.close();
  }

  get chain(): TreasuryChain {
    const profile = developmentProfile({ network: 'polygon', chainId: CHAIN_ID, contracts: {} });
    return { chainRef: this.payouts.chain.chainRef, profile, nodes: this.nodes };
  }

  /** Adds signed bytes to the node; returns their hash. */
  publish(raw: string): string {
    const hash = keccak256(raw);
    this.sent.set(hash, rpcTransaction(raw));
    return hash;
  }

  /** Signs with the vault without any row, by default with the wallet's next nonce. Returns the hash. */
  async signed(fields: Partial<UnsignedEvmTransaction>): Promise<string> {
    const unsigned = { ...anEvmTransaction({ nonce: await this.nextNonce() }), ...fields };
    return this.publish((await this.payouts.vault.signEvm('sandbox', HOT_WALLET, unsigned)).raw);
  }

  /** Signs a payment to the recipient, by default of the 25 dollars of every order of the scene. */
  payment(recipient: string, amount = 25_000_000n): Promise<string> {
    return this.signed(transferCall({ token: this.payouts.chain.contract, recipient, amount }));
  }

  async adopt(txHash: string, orderId: string | null = null, how: AdoptionOptions = {}): Promise<Adopted> {
    const [adopted] = await this.adoptAll([txHash], how, orderId);
    if (adopted === undefined) throw new Error(`${txHash} was not adopted.`);
    return adopted;
  }

  /** Adopts several transactions at once. */
  adoptAll(
    txHashes: readonly string[],
    { asLoss = false, supersede = false }: AdoptionOptions = {},
    orderId: string | null = null,
  ): Promise<readonly Adopted[]> {
    const order = { actor: 'alice@vault-1', reason: 'restored to 03:00', txHashes, orderId, asLoss, supersede };
    return new Adoption(this.payouts.database).adopt(this.chain, order);
  }

  /** Sets the listener's final block. */
  async setFinal(height = AdoptionScene.minedHeight): Promise<void> {
    await query(this.payouts.database, `update chain_cursor set finalized_height = $2 where chain_ref = $1`, [
      this.chain.chainRef,
      height,
    ]);
  }

  /** Unfreezes the wallet like staff once every transaction is recorded, and stores the chain's count like the worker. */
  async unfreeze(): Promise<void> {
    const place = { environment: 'sandbox', network: 'polygon' } as const;
    const staff = { actor: 'alice@vault-1', reason: 'nothing is unknown' };
    await this.payouts.database.transaction((tx) =>
      new SigningFreeze().unfreezeNetwork(tx, place, staff, { unknown: [] }),
    );
    await this.payouts.countOnChain();
  }

  async nextNonce(): Promise<number> {
    const [row] = await query<{ next_nonce: string }>(
      this.payouts.database,
      `select next_nonce from hot_wallet where chain_ref = $1`,
      [this.payouts.chain.chainRef],
    );
    return Number(row?.next_nonce);
  }

  async hotWallet(): Promise<string> {
    return (await this.payouts.vault.hotWallet('sandbox', 'polygon')).addressKey;
  }
}

const receiptOf = (transactionHash: string) => ({
  transactionHash,
  blockHash: BLOCK.hash,
  blockNumber: BLOCK.number,
  status: '0x1',
  gasUsed: '0x1',
  effectiveGasPrice: '0x1',
  logs: [],
});
