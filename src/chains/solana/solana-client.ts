import type { z } from 'zod';
import { NATIVE_COIN, type Network } from '../../domain/network.js';
import type {
  AccountBalances,
  AccountClient,
  AccountSignature,
  AccountTransaction,
  FundsAccount,
} from '../accounts.js';
import { type BlockHeader, type ChainIdentity, ChainUnavailable } from '../chain.js';
import type { NetworkProfile } from '../networks.js';
import { JsonRpc, RpcRefusal, type RpcOutcome } from '../rpc/json-rpc.js';
import { BALANCE_SLICE, decimalsOfMint, lamportsOf, tokenUnitsOf } from './account-data.js';
import { accountsShape, blockShape, signaturesShape, slotShape, stringShape, transactionShape } from './rpc-shapes.js';
import { associatedTokenAccount } from './token-account.js';
import { transfersOf } from './transaction-transfers.js';

/** Limits of `getMultipleAccounts` and `getSignaturesForAddress`. */
const ACCOUNTS_MAX = 100;
const HISTORY_PAGE = 1_000;

/** "Slot was skipped": no block was made there, or it is older than what the node keeps. */
const SKIPPED = [-32007, -32009];
/** "Block not available" and "block cleaned up": it is not final yet, or older than what the node keeps. */
const UNKNOWN = [-32004, -32001];
/** Versions above are not returned; version 1 is live since September 2026. */
const NEWEST_VERSION = 1;

export interface SolanaClientOptions {
  readonly profile: Pick<NetworkProfile, 'network'>;
  readonly rpcUrl: string;
  readonly timeoutMs?: number;
  /** Called with the duration of every HTTP request that was answered. */
  readonly onAnswer?: (durationMs: number) => void;
}

type Commitment = 'confirmed' | 'finalized';

/**
 * Reads Solana through one node: heights are slots. Payments are seen at the commitment `confirmed`. A block is final at
 * `finalized`, whatever the distance between the two. https://solana.com/docs/rpc
 */
export class SolanaClient implements AccountClient {
  readonly network: Network;
  readonly accountsPerRequest = ACCOUNTS_MAX;
  readonly historyPage = HISTORY_PAGE;
  private readonly rpc: JsonRpc;

  constructor({ profile, rpcUrl, ...transport }: SolanaClientOptions) {
    this.network = profile.network;
    this.rpc = new JsonRpc(rpcUrl, transport);
  }

  async identity(): Promise<ChainIdentity> {
    const genesisHash = parsed(stringShape, await this.rpc.call('getGenesisHash', []));
    return { chainId: genesisHash, genesisHash };
  }

  async head(): Promise<BlockHeader> {
    const slot = await this.slotAt('confirmed');
    const header = await this.headerAt(slot);
    if (header === null) throw new ChainUnavailable(`The node skipped slot ${slot}, which it calls confirmed.`);
    return header;
  }

  async headerAt(height: number): Promise<BlockHeader | null> {
    const [header] = await this.headersAt([height]);
    return header ?? null;
  }

  async headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]> {
    const outcomes = await this.blocksAt(heights, 'confirmed');
    return outcomes.map((outcome, place) => headerIn(outcome, heights[place] ?? 0));
  }

  async finalizedHeight(): Promise<number> {
    return this.slotAt('finalized');
  }

  async finalBlocksAt(heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader | null>> {
    const outcomes = await this.blocksAt(heights, 'finalized');
    const known = heights.flatMap((height, place): [number, BlockHeader | null][] => {
      const outcome = outcomes[place];
      if (outcome === undefined || ('refusal' in outcome && isUnknown(outcome.refusal))) return [];
      return [[height, headerIn(outcome, height)]];
    });
    return new Map(known);
  }

  async decimalsOf(token: string): Promise<number | null> {
    const answer = await this.rpc.call('getMultipleAccounts', [
      [token],
      { commitment: 'confirmed', encoding: 'base64' },
    ]);
    return decimalsOfMint(parsed(accountsShape, answer).value[0] ?? null);
  }

  async accountsOf(address: string, tokens: readonly string[]): Promise<readonly FundsAccount[]> {
    const ofTokens = tokens.map(async (token) => ({ account: await associatedTokenAccount(address, token), token }));
    return [{ account: address, token: NATIVE_COIN }, ...(await Promise.all(ofTokens))];
  }

  async balancesOf(accounts: readonly FundsAccount[], since: number): Promise<AccountBalances> {
    const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: BALANCE_SLICE, minContextSlot: since };
    const addresses = accounts.map(({ account }) => account);
    const answer = parsed(accountsShape, await this.rpc.call('getMultipleAccounts', [addresses, options]));
    const { value, context } = answer;
    if (value.length !== accounts.length || context.slot < since) {
      throw new ChainUnavailable(
        `The node returned ${value.length} of ${accounts.length} accounts, at ${context.slot}.`,
      );
    }
    const units = value.map((stored, place) =>
      accounts[place]?.token === NATIVE_COIN ? lamportsOf(stored) : tokenUnitsOf(stored),
    );
    return { asOf: context.slot, units };
  }

  async historyOf(account: string, since: number, before: string | null): Promise<readonly AccountSignature[]> {
    const options = {
      commitment: 'confirmed',
      minContextSlot: since,
      limit: HISTORY_PAGE,
      ...(before !== null && { before }),
    };
    const page = parsed(signaturesShape, await this.rpc.call('getSignaturesForAddress', [account, options]));
    return page.map(({ signature, slot, err }) => ({ txHash: signature, height: slot, succeeded: err === null }));
  }

  async transactionsOf(
    txHashes: readonly string[],
    tokens: readonly string[],
  ): Promise<readonly (AccountTransaction | null)[]> {
    const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION };
    const calls = txHashes.map((txHash) => ({ method: 'getTransaction', params: [txHash, options] }));
    const outcomes = await this.rpc.outcomes(calls);
    return outcomes.map((outcome, place) => transactionIn(outcome, txHashes[place] ?? '', tokens));
  }

  watchHeads(): { close(): void } {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    await this.rpc.close();
  }

  private async slotAt(commitment: Commitment): Promise<number> {
    return parsed(slotShape, await this.rpc.call('getSlot', [{ commitment }]));
  }

  private blocksAt(slots: readonly number[], commitment: Commitment): Promise<readonly RpcOutcome[]> {
    const options = {
      commitment,
      transactionDetails: 'none',
      rewards: false,
      maxSupportedTransactionVersion: NEWEST_VERSION,
    };
    return this.rpc.outcomes(slots.map((slot) => ({ method: 'getBlock', params: [slot, options] })));
  }
}

function headerIn(outcome: RpcOutcome, slot: number): BlockHeader | null {
  if ('refusal' in outcome) {
    if (isSkipped(outcome.refusal)) return null;
    throw outcome.refusal;
  }
  const { blockhash, previousBlockhash, blockTime } = parsed(blockShape, outcome.result);
  if (blockTime === null) throw new ChainUnavailable(`The node does not know the time of slot ${slot}.`);
  return { height: slot, hash: blockhash, parentHash: previousBlockhash, time: new Date(blockTime * 1000) };
}

const isSkipped = ({ code }: RpcRefusal): boolean => code !== null && SKIPPED.includes(code);
const isUnknown = ({ code }: RpcRefusal): boolean => code !== null && UNKNOWN.includes(code);

function transactionIn(outcome: RpcOutcome, txHash: string, tokens: readonly string[]): AccountTransaction | null {
  // Such as -32015 for a version that we do not know: the balance of its accounts stays unexplained, which is reported.
  if ('refusal' in outcome || outcome.result === null) return null;
  const answer = parsed(transactionShape, outcome.result);
  if (answer.transaction.signatures[0] !== txHash) {
    throw new ChainUnavailable('The node returned another transaction than the one asked for.');
  }
  if (answer.meta.err !== null) return null;
  const time = answer.blockTime === null || answer.blockTime === undefined ? null : new Date(answer.blockTime * 1000);
  return { height: answer.slot, time, transfers: transfersOf(answer, tokens) };
}

/** Returns an answer that has the shape. @throws ChainUnavailable for any other */
function parsed<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const { success, data, error } = shape.safeParse(answer);
  if (!success) throw new ChainUnavailable(`The node's answer is invalid: ${error.issues[0]?.message ?? 'no reason'}.`);
  return data;
}
