import { Wallet } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DevAccount } from '../../src/devtools/devnet/dev-accounts.js';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import { askChain, HEX_NUMBER, sendToChain } from '../../src/devtools/devnet/dev-rpc.js';
import { dropTransaction, moveTransaction } from '../../src/devtools/devnet/evm-reorg.js';
import { replaceBlocks } from '../../src/devtools/devnet/replaced-blocks.js';
import { minedTransaction, type MinedTransaction } from '../../src/devtools/devnet/mined-transaction.js';
import { mineLeftTransactions } from '../../src/devtools/devnet/left-transactions.js';
import { testCoinBalance } from '../../src/devtools/devnet/test-coin.js';
import { testTokenBalance } from '../../src/devtools/devnet/test-token.js';
import type { TestTransfer } from '../../src/devtools/devnet/test-transfer.js';
import { sendTestTokens } from './send-test-tokens.js';

const RECEIPT_POLL_MS = 10;
const RECEIPT_TIMEOUT_MS = 10_000;
/** After this, anvil has left a transaction in its pool: it mines one within milliseconds. */
const LEFT_AFTER_MS = 3_000;
/** Enough of the chain's own coin for thousands of transfers. */
const GAS_MONEY_WEI = 10n ** 19n;

/** A wallet that is unknown to the service, like a payer's. */
export interface FundedWallet {
  /** The amount of each token for it, in smallest units by symbol. */
  readonly tokens?: Readonly<Record<string, bigint>>;
}

/**
 * Controls a development chain from a test: payments, blocks, reorgs. A transaction makes a block; `startDevMiner` or
 * `mine` makes it final. Reorgs reach up to 30 blocks back, but not over a restart of the chain. Send no other transactions
 * during a reorg.
 */
export class DevChainControls {
  private readonly url: string;

  constructor(readonly chain: EvmDevChain) {
    this.url = chain.rpcUrl;
  }

  /** Returns the height of the newest block. */
  async height(): Promise<number> {
    return askChain(this.url, HEX_NUMBER, 'eth_blockNumber');
  }

  /** Adds empty blocks, or blocks with the transactions of the pool while automatic mining is off. */
  async mine(blocks = 1): Promise<void> {
    await sendToChain(this.url, 'anvil_mine', `0x${blocks.toString(16)}`);
  }

  /** Sets whether a transaction is mined at once (the default) or waits for `mine`. */
  async setAutomine(isOn: boolean): Promise<void> {
    await sendToChain(this.url, 'evm_setAutomine', isOn);
  }

  /** Sets the time of the next block, not before the head's. The clock continues from there until a restart. */
  async setNextBlockTime(time: Date): Promise<void> {
    await sendToChain(this.url, 'evm_setNextBlockTimestamp', Math.floor(time.getTime() / 1000));
  }

  /** Sends tokens from the faucet, or from `from`, and waits until they are mined. Needs automatic mining. */
  async pay(transfer: TestTransfer): Promise<MinedTransaction> {
    return this.waitUntilMined(await sendTestTokens(this.chain, transfer));
  }

  /** Sends tokens and returns the hash at once, for a transfer that waits in the pool. */
  async send(transfer: TestTransfer): Promise<string> {
    return sendTestTokens(this.chain, transfer);
  }

  /** Creates a wallet with a random key, with coins for gas and the given tokens. */
  async newWallet({ tokens = {} }: FundedWallet = {}): Promise<DevAccount> {
    const { address, privateKey } = Wallet.createRandom();
    await this.pay({ to: address, token: null, amount: GAS_MONEY_WEI });
    for (const [token, amount] of Object.entries(tokens)) await this.pay({ to: address, token, amount });
    return { address: address.toLowerCase(), privateKey };
  }

  /** Returns the balance of an address in a token, or in the chain's own coin (null), in smallest units. */
  async balance(symbol: string | null, holder: string): Promise<bigint> {
    if (symbol === null) return testCoinBalance(this.url, holder);
    const token = this.chain.tokens[symbol];
    if (token === undefined) throw new Error(`The ${this.chain.network} development chain has no ${symbol}.`);
    return testTokenBalance(this.url, token.address, holder);
  }

  /** Returns the place of a transaction, or null when it is not in the chain. */
  async find(txHash: string): Promise<MinedTransaction | null> {
    return minedTransaction(this.url, txHash);
  }

  /** Waits until the transaction is in a block. @throws Error after 10 s, with what is in the pool. */
  async waitUntilMined(txHash: string): Promise<MinedTransaction> {
    const started = performance.now();
    for (;;) {
      const mined = await this.find(txHash);
      if (mined !== null) return mined;
      const waitedMs = performance.now() - started;
      if (waitedMs > RECEIPT_TIMEOUT_MS) break;
      // Not all of these chains have a miner, which would do this.
      if (waitedMs > LEFT_AFTER_MS) await mineLeftTransactions(this.url);
      await sleep(RECEIPT_POLL_MS);
    }
    const pool = JSON.stringify(await this.ask(z.unknown(), 'txpool_content'));
    throw new Error(`Transaction ${txHash} was not mined within ${RECEIPT_TIMEOUT_MS} ms. The pool: ${pool}`);
  }

  /** Replaces the newest `depth` blocks by empty ones. Their transactions are removed, and not in the pool. */
  async replaceByEmptyBlocks(depth: number): Promise<void> {
    await replaceBlocks(this.chain, depth, []);
  }

  /**
   * Makes a reorg that removes this transaction and later ones of the same sender; all others keep their places. The height
   * stays the same. Returns the signed bytes, so that a test can send them again (`resend`).
   * @throws Error when another transaction depends on it, such as one that spent its funds.
   */
  async dropTransaction(txHash: string): Promise<string> {
    return dropTransaction(this.chain, txHash);
  }

  /**
   * Makes a reorg that moves this transaction one block later, behind another token transfer: its block hash, height,
   * transaction index and block-wide log index change; its position within its receipt stays. The height of the chain grows
   * by one when the transaction was in the newest block.
   */
  async moveTransaction(txHash: string): Promise<{ before: MinedTransaction; after: MinedTransaction }> {
    return moveTransaction(this.chain, txHash);
  }

  /** Sends signed bytes again, like a wallet after its transaction was dropped, and waits until they are mined. */
  async resend(raw: string): Promise<MinedTransaction> {
    return this.waitUntilMined(await askChain(this.url, z.string(), 'eth_sendRawTransaction', raw));
  }

  /** Calls any method of the node, and parses the result by a schema. */
  async ask<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T> {
    return askChain(this.url, schema, method, ...params);
  }
}
