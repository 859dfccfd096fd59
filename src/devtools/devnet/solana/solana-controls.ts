import { z } from 'zod';
import { askChain } from '../dev-rpc.js';
import type { FinalityDistance } from './finality.js';

const SLOT = z.number().int();
const SIGNATURE = z.string();

const INFO = z.object({
  genesisHash: z.string(),
  isAutomatic: z.boolean(),
  /** Transactions that are accepted and in no block. */
  pending: z.number().int(),
  /** Addresses of the test tokens by symbol. */
  mints: z.record(z.string(), z.string()),
  /** Addresses of the funded accounts by role; their keys are those of the published mnemonic. */
  accounts: z.record(z.string(), z.string()),
});

/** What the chain says of itself. */
export type SolanaChainInfo = z.infer<typeof INFO>;

/** Coins or tokens for an owner, from the faucet. */
export interface SolanaGrant {
  readonly owner: string;
  /** Symbol; null = the chain's own coin. */
  readonly token: string | null;
  /** Smallest units. */
  readonly amount: bigint;
}

/** An answer to replace. */
export interface SolanaFailure {
  readonly method: string;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Whether the call takes effect before its answer is replaced, as when a connection breaks. */
  readonly takesEffect: boolean;
}

/** Controls a Solana development chain from tests and the sandbox. Calls that send a transaction return its signature. */
export class SolanaControls {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  info(): Promise<SolanaChainInfo> {
    return askChain(this.url, INFO, 'coffer_info');
  }

  /** Makes blocks at once, the first with all pending transactions. Returns the newest slot. */
  mine(blocks = 1): Promise<number> {
    return askChain(this.url, SLOT, 'coffer_mine', blocks);
  }

  /** Leaves slots without a block. Returns the next slot. */
  skip(slots: number): Promise<number> {
    return askChain(this.url, SLOT, 'coffer_skip', slots);
  }

  /** Drops the last slots that are not final: their transactions vanish. Returns the newest slot that is left. */
  fork(slots: number): Promise<number> {
    return askChain(this.url, SLOT, 'coffer_fork', slots);
  }

  /** Stops making blocks by the clock. */
  async pause(): Promise<void> {
    await this.change('coffer_setAutomatic', false);
  }

  async resume(): Promise<void> {
    await this.change('coffer_setAutomatic', true);
  }

  async setRent(lamportsPerByte: number): Promise<void> {
    await this.change('coffer_setRent', lamportsPerByte);
  }

  async setFinalityDistance(distance: FinalityDistance): Promise<void> {
    await this.change('coffer_setFinality', distance);
  }

  /** Puts the chain's clock forward, for good. */
  async advanceClock(seconds: number): Promise<void> {
    await this.change('coffer_advanceClock', seconds);
  }

  /** Answers no block and no transaction before this slot any more. */
  async truncateHistory(firstSlot: number): Promise<void> {
    await this.change('coffer_truncate', firstSlot);
  }

  fund({ owner, token, amount }: SolanaGrant): Promise<string> {
    return askChain(this.url, SIGNATURE, 'coffer_fund', { owner, token, amount: amount.toString() });
  }

  /** Freezes a token account as the issuer of its token. */
  freeze(tokenAccount: string): Promise<string> {
    return askChain(this.url, SIGNATURE, 'coffer_freeze', tokenAccount);
  }

  thaw(tokenAccount: string): Promise<string> {
    return askChain(this.url, SIGNATURE, 'coffer_thaw', tokenAccount);
  }

  /** Removes an account without a transaction, in a block of its own, whose slot it returns. */
  closeAccount(address: string): Promise<number> {
    return askChain(this.url, SLOT, 'coffer_closeAccount', address);
  }

  /** Answers the next call of a method with an error. */
  async failNext(failure: SolanaFailure): Promise<void> {
    await this.change('coffer_failNext', failure);
  }

  /** Makes the node say that it is behind the cluster; null ends that. */
  async setSlotsBehind(slots: number | null): Promise<void> {
    await this.change('coffer_setBehind', slots);
  }

  /** Makes the node answer skipped slots from an archive, which has its own error. */
  async setArchive(hasArchive: boolean): Promise<void> {
    await this.change('coffer_setArchive', hasArchive);
  }

  private async change(method: string, ...params: readonly unknown[]): Promise<void> {
    await askChain(this.url, z.null(), method, ...params);
  }
}
