import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HeadWatcher } from '../../chains/evm/head-watcher.js';
import type { EvmDevChain } from './evm-dev-chain.js';
import { askChain, HEX_NUMBER, sendToChain } from './dev-rpc.js';
import { Exclusive } from './exclusive.js';
import { mineLeftTransactions } from './left-transactions.js';

/** Blocks on top that make a block final on every development chain (its `finalized` tag is two below the head). */
const DEV_FINALITY_BLOCKS = 3;

/**
 * Heads come by websocket, which asks again after each connection. The poll is for heads that it loses without a close, and for
 * transactions that are left in the pool without a later head.
 */
const POLL_MS = 10_000;

const GENESIS = z.object({ hash: z.string() });
const BLOCK = z.object({ number: HEX_NUMBER, transactions: z.array(z.string()) }).nullable();

export interface DevMinerOptions {
  /** Pause between two blocks, and before the first. */
  readonly intervalMs?: number;
}

export interface DevMiner {
  /** Runs work that must not meet a new block, such as a reorg of blocks that the next one would make final. */
  pausedFor<T>(work: () => Promise<T>): Promise<T>;
  /** Stops permanently; resolves when this miner can mine no further block. */
  stop(): Promise<void>;
}

/**
 * Mines one block per interval while a block with transactions is not final or a transaction is left in the pool, and none
 * otherwise. A development chain makes blocks only for transactions, so without this miner no payment would become final.
 */
export function startDevMiner(chain: EvmDevChain, { intervalMs = 1_000 }: DevMinerOptions = {}): DevMiner {
  const stopped = new AbortController();
  let round: Promise<void> | null = null;
  let isNudged = false;
  const turns = new Exclusive();

  const nudge = (): void => {
    isNudged = true;
    if (stopped.signal.aborted || round !== null) return;
    round = rounds().finally(() => (round = null));
  };

  /** Continues until a whole round has passed without a new head. */
  const rounds = async (): Promise<void> => {
    try {
      while (isNudged) {
        isNudged = false;
        await sleep(intervalMs, undefined, { signal: stopped.signal });
        if (await turns.run(() => mineIfWanted(chain))) isNudged = true;
      }
    } catch {
      // Stopped, or the chain is down: its readers report that, and the next poll tries again.
    }
  };

  const heads = new HeadWatcher(chain.wsUrl, nudge);
  const poll = setInterval(nudge, POLL_MS);
  nudge();
  return {
    pausedFor: (work) => turns.run(work),
    stop: async () => {
      stopped.abort();
      clearInterval(poll);
      heads.close();
      await round;
    },
  };
}

/** Mines a block if one is wanted. Returns whether it did. Leaves a chain alone that has taken the port of one that is gone. */
async function mineIfWanted({ rpcUrl: url, genesisHash }: EvmDevChain): Promise<boolean> {
  const genesis = await askChain(url, GENESIS, 'eth_getBlockByNumber', '0x0', false);
  if (genesis.hash !== genesisHash) return false;
  const isUnfinal = await hasUnfinalTransactions(url);
  if (isUnfinal) await sendToChain(url, 'evm_mine');
  // After the block: a failure here must not keep others from becoming final.
  return (await mineLeftTransactions(url)) || isUnfinal;
}

/** Returns whether one of the newest blocks, which are not final yet, has a transaction. */
async function hasUnfinalTransactions(url: string): Promise<boolean> {
  let block = await askChain(url, BLOCK, 'eth_getBlockByNumber', 'latest', false);
  for (let depth = 0; block !== null && depth < DEV_FINALITY_BLOCKS; depth += 1) {
    if (block.transactions.length > 0) return true;
    const parent = block.number - 1;
    block = parent < 0 ? null : await askChain(url, BLOCK, 'eth_getBlockByNumber', `0x${parent.toString(16)}`, false);
  }
  return false;
}
