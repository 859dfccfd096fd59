import { z } from 'zod';
import { type DevChain, isEvmDevChain } from '../../devtools/devnet/dev-chain.js';
import { askChain, DevRpcRefusal, HEX_NUMBER, sendToChain } from '../../devtools/devnet/dev-rpc.js';
import type { EvmDevChain } from '../../devtools/devnet/evm-dev-chain.js';
import { dropTransaction, moveTransaction } from '../../devtools/devnet/evm-reorg.js';
import { minedTransaction } from '../../devtools/devnet/mined-transaction.js';
import type { SolanaDevChain } from '../../devtools/devnet/solana/solana-dev-chain.js';
import { signTestTransfer } from '../../devtools/devnet/test-transfer.js';
import { ControlRefusal } from '../../devtools/devnet/tron/control/control-client.js';
import type { TronDevChain } from '../../devtools/devnet/tron/tron-dev-chain.js';

/** A chain may grow while its fork is planned; it is then one block too short, and planned again. */
const FORK_TRIES = 3;
const FINAL_BLOCK = z.object({ number: HEX_NUMBER });
const SLOT = z.number().int();

/** A payment whose block leaves the chain. */
export interface DroppedPayment {
  readonly txHash: string;
  /** Of its block, or its slot. */
  readonly height: number;
  /** The nonce of its sender where that is the sandbox's payer on an EVM network; else null. */
  readonly nonce: number | null;
  /** Whether the chain takes it up again in a later block. */
  readonly returns: boolean;
}

/** `final`: no reorg drops it any more, and nothing was done. */
export type DropOutcome = 'dropped' | 'final';

/** Makes blocks at once. */
export async function mineBlocks(chain: DevChain, blocks: number): Promise<void> {
  if (isEvmDevChain(chain)) await sendToChain(chain.rpcUrl, 'anvil_mine', `0x${blocks.toString(16)}`);
  else await chain.controls.mine(blocks);
}

/**
 * Makes a reorg that drops the block of a payment, unless it is final. On solana and tron the payments of later blocks go
 * too; on solana their senders send them again, on tron their node does.
 */
export function dropPayment(chain: DevChain, payment: DroppedPayment): Promise<DropOutcome> {
  if (isEvmDevChain(chain)) return chain.pausedFor(() => dropOnEvm(chain, payment));
  return chain.network === 'solana' ? dropOnSolana(chain, payment) : dropOnTron(chain, payment);
}

async function dropOnEvm(chain: EvmDevChain, { txHash, nonce, returns }: DroppedPayment): Promise<DropOutcome> {
  const { rpcUrl: url, sandboxPayer } = chain;
  const mined = await minedTransaction(url, txHash);
  if (mined === null) return 'dropped';
  const final = await askChain(url, FINAL_BLOCK, 'eth_getBlockByNumber', 'finalized', false);
  if (mined.blockNumber <= final.number) return 'final';
  if (returns) {
    await moveTransaction(chain, txHash);
  } else {
    // As when a payer replaces a transaction: another one uses its nonce, so that later ones of this sender stay.
    const nothing = { to: sandboxPayer.address, token: null, amount: 0n, from: sandboxPayer };
    await dropTransaction(chain, txHash, nonce === null ? null : await signTestTransfer(chain, nothing, nonce));
  }
  // A longer chain wins.
  await sendToChain(url, 'evm_mine');
  return 'dropped';
}

async function dropOnSolana({ rpcUrl, controls }: SolanaDevChain, payment: DroppedPayment): Promise<DropOutcome> {
  return forkBelow(payment.height, async () => {
    const head = await askChain(rpcUrl, SLOT, 'getSlot', { commitment: 'processed' });
    return head < payment.height ? head : controls.fork(head - payment.height + 1);
  });
}

async function dropOnTron({ controls }: TronDevChain, { height, returns }: DroppedPayment): Promise<DropOutcome> {
  return forkBelow(height, async () => {
    const { head } = await controls.info();
    if (head < height) return head;
    return (await controls.fork(head - height + 1, returns ? 'return' : 'vanish')).head;
  });
}

/** @param fork cuts the chain, and returns its newest height */
async function forkBelow(height: number, fork: () => Promise<number>): Promise<DropOutcome> {
  for (let tries = 0; tries < FORK_TRIES; tries += 1) {
    try {
      if ((await fork()) < height) return 'dropped';
    } catch (error) {
      // These chains refuse a fork for one reason: a block of it is final.
      if (error instanceof DevRpcRefusal || error instanceof ControlRefusal) return 'final';
      throw error;
    }
  }
  throw new Error(`The chain grew faster than it could be cut at ${height}.`);
}
