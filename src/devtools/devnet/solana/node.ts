import { z } from 'zod';
import type { Block } from './block-ledger.js';
import type { SolanaChain } from './chain.js';
import type { Commitment } from './finality.js';
import { invalidParams, minContextSlotNotReached, nodeBehind, RpcError } from './rpc-error.js';
import type { ContextConfig } from './rpc-params.js';

/** The version of Agave whose answers these are. */
export const API_VERSION = '4.0.0';

/** Answers a call; errors are `RpcError`s. */
export type Method = (params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export const FAILURE = z.object({
  method: z.string(),
  error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }),
  /** Whether the call takes effect before its answer is replaced, as when a connection breaks. */
  takesEffect: z.boolean(),
});

export type PlannedFailure = z.infer<typeof FAILURE>;

/** The node that answers for the chain: what it knows of its own health, and how it counts the newest block. */
export class SolanaNode {
  readonly chain: SolanaChain;
  /** How far it says it is behind the cluster; null = not at all. */
  slotsBehind: number | null = null;
  /** Whether skipped slots are answered from an archive, with its own error. */
  hasArchive = false;
  private readonly failures: PlannedFailure[] = [];

  constructor(chain: SolanaChain) {
    this.chain = chain;
  }

  /** @throws RpcError -32005 */
  assertHealthy(): void {
    if (this.slotsBehind !== null) throw nodeBehind(this.slotsBehind);
  }

  /** Returns the block that a call asks about. @throws RpcError -32016 */
  bankOf(config: ContextConfig): Block {
    const bank = this.chain.finality.block(config?.commitment ?? 'finalized');
    const minimum = config?.minContextSlot ?? 0;
    if (bank.slot < minimum) throw minContextSlotNotReached(bank.slot);
    return bank;
  }

  planFailure(failure: PlannedFailure): void {
    this.failures.push(failure);
  }

  /** Calls a method, unless its failure is planned. */
  call(name: string, method: Method, params: readonly unknown[]): unknown {
    const index = this.failures.findIndex((failure) => failure.method === name);
    if (index < 0) return method(params);
    const [failure] = this.failures.splice(index, 1);
    if (failure === undefined) return method(params);
    if (failure.takesEffect) method(params);
    throw new RpcError(failure.error.code, failure.error.message, failure.error.data);
  }
}

/** Adds the block that an answer is of. */
export function inContext<Value>(bank: Block, value: Value): { context: object; value: Value } {
  return { context: { apiVersion: API_VERSION, slot: bank.slot }, value };
}

/** Returns the commitment of calls that have no answer for `processed`. @throws RpcError -32602 */
export function atLeastConfirmed(commitment: Commitment | null | undefined): Exclude<Commitment, 'processed'> {
  if (commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`');
  }
  return commitment ?? 'finalized';
}

/** Returns a time in seconds, as answers have it. */
export const secondsOf = (timeMs: number): number => Math.floor(timeMs / 1_000);
