import type { z } from 'zod';
import { ChainUnavailable } from '../chain.js';
import { JsonRpc, type JsonRpcOptions, type RpcCall, type RpcOutcome } from '../rpc/json-rpc.js';
import { slotShape } from './rpc-shapes.js';

/** Versions above are not returned; version 1 is live since September 2026. */
const NEWEST_VERSION = 1;

export type Commitment = 'confirmed' | 'finalized';

/** Asks one node of solana, whose answers have the shapes that are asked for. https://solana.com/docs/rpc */
export class SolanaRpc {
  private readonly rpc: JsonRpc;

  constructor(url: string, options: JsonRpcOptions) {
    this.rpc = new JsonRpc(url, options);
  }

  /** @throws ChainUnavailable for an error, and for an answer of another shape */
  async ask<Shape extends z.ZodType>(
    shape: Shape,
    method: string,
    params: readonly unknown[],
  ): Promise<z.infer<Shape>> {
    return parsed(shape, await this.rpc.call(method, params));
  }

  outcomes(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> {
    return this.rpc.outcomes(calls);
  }

  /** Makes one call for each list of params. @throws ChainUnavailable as `ask`, for any of them */
  async askAll<Shape extends z.ZodType>(
    shape: Shape,
    method: string,
    params: readonly (readonly unknown[])[],
  ): Promise<readonly z.infer<Shape>[]> {
    const answers = await this.rpc.batch(params.map((each) => ({ method, params: each })));
    return answers.map((answer) => parsed(shape, answer));
  }

  slotAt(commitment: Commitment): Promise<number> {
    return this.ask(slotShape, 'getSlot', [{ commitment }]);
  }

  blocksAt(
    slots: readonly number[],
    commitment: Commitment,
    transactionDetails: 'none' | 'signatures' = 'none',
  ): Promise<readonly RpcOutcome[]> {
    const options = {
      commitment,
      transactionDetails,
      rewards: false,
      maxSupportedTransactionVersion: NEWEST_VERSION,
    };
    return this.rpc.outcomes(slots.map((slot) => ({ method: 'getBlock', params: [slot, options] })));
  }

  transactions(txHashes: readonly string[], commitment: Commitment): Promise<readonly RpcOutcome[]> {
    const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
    return this.rpc.outcomes(txHashes.map((txHash) => ({ method: 'getTransaction', params: [txHash, options] })));
  }

  close(): Promise<void> {
    return this.rpc.close();
  }
}

/** Returns an answer that has the shape. @throws ChainUnavailable for any other */
export function parsed<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (!success) throw new ChainUnavailable(`The node's answer is invalid: ${error.issues[0]?.message ?? 'no reason'}.`);
  return data;
}

/** Returns the answer of a call. @throws ChainUnavailable for its error, and for an answer of another shape */
export function resultOf<Shape extends z.ZodType>(shape: Shape, outcome: RpcOutcome | undefined): z.infer<Shape> {
  if (outcome === undefined) throw new ChainUnavailable('The node left a call unanswered.');
  if ('refusal' in outcome) throw outcome.refusal;
  return parsed(shape, outcome.result);
}
