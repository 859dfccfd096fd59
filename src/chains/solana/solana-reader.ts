import { NATIVE_COIN, type Network } from '../../domain/network.js';
import type {
  AccountBalance,
  AccountClient,
  AccountSignature,
  FoundTransaction,
  FundsAccount,
  OwnedAccount,
  OwnedAccounts,
} from '../accounts.js';
import { type BlockHeader, type ChainIdentity, ChainUnavailable } from '../chain.js';
import type { NetworkProfile } from '../networks.js';
import type { NodeFacts } from '../node-facts.js';
import type { JsonRpcOptions, RpcOutcome, RpcRefusal } from '../rpc/json-rpc.js';
import { balanceParams, balancesIn, requestsTogether } from './account-balances.js';
import { decimalsOfMint, holdingOf, WHOLE_SLICE } from './account-data.js';
import {
  accountsShape,
  blockShape,
  lamportsShape,
  ownedAccountsShape,
  signaturesShape,
  slotsShape,
  stringShape,
  transactionShape,
} from './rpc-shapes.js';
import { TOKEN_PROGRAM } from './programs.js';
import { solanaNodeFacts } from './solana-node-facts.js';
import { type Commitment, parsed, resultOf, SolanaRpc } from './solana-rpc.js';
import { associatedTokenAccount } from './token-account.js';
import { transfersOf } from './transaction-transfers.js';

/** Limits of `getMultipleAccounts` and `getSignaturesForAddress`. */
const ACCOUNTS_MAX = 100;
const HISTORY_PAGE = 1_000;

/** "Slot was skipped", also when it is missing in the storage of the node; "block not available"; "block cleaned up". */
const NO_BLOCK = [-32007, -32009, -32004, -32001];

export interface SolanaClientOptions extends JsonRpcOptions {
  readonly profile: Pick<NetworkProfile, 'network'>;
  readonly rpcUrl: string;
}

/**
 * Reads Solana through one node: heights are slots. Payments are seen at the commitment `confirmed`. A block is final at
 * `finalized`, whatever the distance between the two. https://solana.com/docs/rpc
 */
export class SolanaReader implements AccountClient {
  readonly network: Network;
  readonly accountsPerRequest = ACCOUNTS_MAX;
  readonly accountsTogether: number;
  readonly historyPage = HISTORY_PAGE;
  readonly requestsPerSecond: number | null;
  protected readonly rpc: SolanaRpc;

  constructor({ profile, rpcUrl, ...transport }: SolanaClientOptions) {
    this.network = profile.network;
    this.requestsPerSecond = transport.rate?.perSecond ?? null;
    this.accountsTogether = ACCOUNTS_MAX * requestsTogether(this.requestsPerSecond);
    this.rpc = new SolanaRpc(rpcUrl, transport);
  }

  async identity(): Promise<ChainIdentity> {
    const genesisHash = await this.rpc.ask(stringShape, 'getGenesisHash', []);
    return { chainId: genesisHash, genesisHash };
  }

  async head(): Promise<BlockHeader> {
    const slot = await this.rpc.slotAt('confirmed');
    const header = await this.headerAt(slot);
    if (header === null)
      throw new ChainUnavailable(`The node has no block with a time at slot ${slot}, its confirmed one.`);
    return header;
  }

  async headerAt(height: number): Promise<BlockHeader | null> {
    const [header] = await this.headersAt([height]);
    return header ?? null;
  }

  async headersAt(heights: readonly number[]): Promise<readonly (BlockHeader | null)[]> {
    const outcomes = await this.rpc.blocksAt(heights, 'confirmed');
    return outcomes.map((outcome, place) => {
      return 'refusal' in outcome ? missing(outcome.refusal) : headerIn(outcome.result, heights[place] ?? 0);
    });
  }

  async finalizedHeight(): Promise<number> {
    return this.rpc.slotAt('finalized');
  }

  async finalBlocksAt(heights: readonly number[]): Promise<ReadonlyMap<number, BlockHeader | null>> {
    const outcomes = await this.rpc.blocksAt(heights, 'finalized');
    const known = new Map<number, BlockHeader | null>();
    for (const [place, height] of heights.entries()) {
      const outcome = outcomes[place];
      const block = outcome === undefined || 'refusal' in outcome ? null : headerIn(outcome.result, height);
      if (block !== null) known.set(height, block);
      else if (await this.isProvenSkipped(height)) known.set(height, null);
    }
    return known;
  }

  async decimalsOf(token: string): Promise<number | null> {
    const { value } = await this.rpc.ask(accountsShape, 'getMultipleAccounts', [
      [token],
      { commitment: 'confirmed', encoding: 'base64' },
    ]);
    return decimalsOfMint(value[0] ?? null);
  }

  async accountsOf(address: string, tokens: readonly string[]): Promise<readonly FundsAccount[]> {
    const ofTokens = tokens.map(async (token) => ({ account: await associatedTokenAccount(address, token), token }));
    return [{ account: address, token: NATIVE_COIN }, ...(await Promise.all(ofTokens))];
  }

  async otherAccountsOf(addresses: readonly string[], tokens: readonly string[]): Promise<OwnedAccounts> {
    const options = { commitment: 'finalized', encoding: 'base64', dataSlice: WHOLE_SLICE };
    const outcomes = await this.rpc.outcomes(
      addresses.map((owner) => ({
        method: 'getTokenAccountsByOwner',
        params: [owner, { programId: TOKEN_PROGRAM }, options],
      })),
    );
    const accounts: OwnedAccount[] = [];
    const refused: string[] = [];
    const isAnswered = outcomes.length === 1 || outcomes.some((outcome) => 'result' in outcome);
    for (const [place, outcome] of outcomes.entries()) {
      const owner = addresses[place] ?? '';
      // A node may refuse an address with too many accounts, which must not hide those of all others.
      if ('refusal' in outcome && isAnswered) {
        refused.push(owner);
        continue;
      }
      const { value } = resultOf(ownedAccountsShape, outcome);
      const own = new Set((await this.accountsOf(owner, tokens)).map(({ account }) => account));
      for (const { pubkey: account, account: stored } of value) {
        const holding = holdingOf(stored);
        if (holding?.owner !== owner || !tokens.includes(holding.token) || own.has(account)) continue;
        accounts.push({ ...holding, account });
      }
    }
    return { accounts, refused };
  }

  balancesOf(accounts: readonly FundsAccount[], since: number): Promise<readonly AccountBalance[]> {
    return this.balancesAt('confirmed', accounts, since);
  }

  protected async balancesAt(
    commitment: Commitment,
    accounts: readonly FundsAccount[],
    since: number,
  ): Promise<readonly AccountBalance[]> {
    const parts = Array.from({ length: Math.ceil(accounts.length / ACCOUNTS_MAX) }, (_, nth) =>
      accounts.slice(nth * ACCOUNTS_MAX, (nth + 1) * ACCOUNTS_MAX),
    );
    const params = parts.map((some) => balanceParams(some, commitment, since));
    const answers = await this.rpc.askAll(accountsShape, 'getMultipleAccounts', params);
    return answers.flatMap((answer, nth) => balancesIn(answer, parts[nth] ?? [], since));
  }

  facts(): Promise<NodeFacts> {
    return solanaNodeFacts(this.rpc, (slot) => this.headerAt(slot));
  }

  /** An account without data. */
  async smallestPayment(): Promise<bigint> {
    return BigInt(await this.rpc.ask(lamportsShape, 'getMinimumBalanceForRentExemption', [0]));
  }

  async historyOf(account: string, since: number, before: string | null): Promise<readonly AccountSignature[]> {
    const options = {
      commitment: 'confirmed',
      minContextSlot: since,
      limit: HISTORY_PAGE,
      ...(before !== null && { before }),
    };
    const page = await this.rpc.ask(signaturesShape, 'getSignaturesForAddress', [account, options]);
    return page.map(({ signature, slot, err }) => ({ txHash: signature, height: slot, succeeded: err === null }));
  }

  async transactionsOf(txHashes: readonly string[], tokens: readonly string[]): Promise<readonly FoundTransaction[]> {
    const outcomes = await this.rpc.transactions(txHashes, 'confirmed');
    return outcomes.map((outcome, place) => transactionIn(outcome, txHashes[place] ?? '', tokens));
  }

  watchHeads(): { close(): void } {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    await this.rpc.close();
  }

  /**
   * Whether the next final block was built on one below this slot. A node also calls a slot skipped that is missing in its
   * own storage, and says the same of both.
   */
  private async isProvenSkipped(slot: number): Promise<boolean> {
    const [answer] = await this.rpc.outcomes([
      { method: 'getBlocksWithLimit', params: [slot, 1, { commitment: 'finalized' }] },
    ]);
    const next = answer === undefined || 'refusal' in answer ? undefined : parsed(slotsShape, answer.result)[0];
    if (next === undefined || next <= slot) return false;
    const [block] = await this.rpc.blocksAt([next], 'finalized');
    if (block === undefined || 'refusal' in block) return false;
    const { success, data } = blockShape.safeParse(block.result);
    return success && data.parentSlot < slot;
  }
}

/** Returns the head of a block; null for one without a time, which says nothing about when something was paid. */
function headerIn(answer: unknown, slot: number): BlockHeader | null {
  const block = answer === null ? null : parsed(blockShape, answer);
  if (block === null || block.blockTime === null) return null;
  const { blockhash: hash, previousBlockhash: parentHash, blockTime } = block;
  return { height: slot, hash, parentHash, time: new Date(blockTime * 1000) };
}

/** A node without the block may still be right about everything else. */
function missing(refusal: RpcRefusal): null {
  if (refusal.code !== null && NO_BLOCK.includes(refusal.code)) return null;
  throw refusal;
}

/**
 * Returns a transaction with its transfers. One that cannot be read, such as of a version that we do not know (-32015), must
 * not stop the reading of all others: the balance of its accounts stays unexplained, which is reported.
 */
function transactionIn(outcome: RpcOutcome, txHash: string, tokens: readonly string[]): FoundTransaction {
  if ('refusal' in outcome) return 'unreadable';
  if (outcome.result === null) return 'absent';
  const { success, data } = transactionShape.safeParse(outcome.result);
  if (!success || data.transaction.signatures[0] !== txHash) return 'unreadable';
  const transfers = transfersOf(data, tokens);
  return transfers === null ? 'unreadable' : { height: data.slot, transfers };
}
