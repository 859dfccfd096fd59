import { Injectable } from '@nestjs/common';
import { ChainUnavailable } from '../../chains/chain.js';
import type { SentBytes } from '../../chains/expiring-sent.js';
import type { FinalTransaction, SentTransaction } from '../../chains/expiring.js';
import { Database } from '../../platform/database/database.js';
import { readUnrecorded } from '../../treasury/expiring/unrecorded-sent.js';
import type { ExpiringChain } from '../../treasury/treasury-chains.service.js';
import { HotWallet } from '../../treasury/wallets/hot-wallet.entity.js';
import { ownSent } from './own-sent.js';
import { sentLikeness } from './sent-likeness.js';
import { changesOf, sentenceOf } from './sent-sentence.js';
import { TokenAmounts } from './token-amounts.js';

/** A final transaction of a hot wallet that is not recorded, in the words of operators. */
export interface UnrecordedSentView {
  readonly txHash: string;
  readonly height: number;
  /** Null when the node does not say. */
  readonly minedAt: Date | null;
  readonly succeeded: boolean;
  /** How it changed the funds of the hot wallet, such as `-1 USDC, -0.000005 SOL`. */
  readonly changes: string;
  /** The fee in it. */
  readonly fee: string;
  /** What its bytes do, and which orders that fits, in sentences. */
  readonly action: string;
}

/** A hot wallet with its unrecorded transactions, the oldest first. */
export interface UnrecordedSentList {
  readonly address: string;
  readonly transactions: readonly UnrecordedSentView[];
}

/** Finds final transactions of a hot wallet that the database has lost or never had, where transactions expire. */
@Injectable()
export class UnrecordedSent {
  constructor(private readonly database: Database) {}

  /**
   * Returns the ids of unrecorded transactions; none if there is no hot wallet. A node that takes longer than `withinMs` is
   * ignored.
   * @throws ChainUnavailable
   */
  async idsOn(chain: ExpiringChain, withinMs?: number): Promise<readonly string[]> {
    const wallet = await this.walletOf(chain);
    return wallet === null ? [] : (await this.sentBy(chain, wallet, withinMs)).map(({ txHash }) => txHash);
  }

  /** Asks all nodes of the chain now; null when there is no hot wallet. @throws ChainUnavailable */
  async of(chain: ExpiringChain): Promise<UnrecordedSentList | null> {
    const wallet = await this.walletOf(chain);
    if (wallet === null) return null;
    const amounts = await TokenAmounts.read(this.database.em(), chain.chainRef);
    const transactions: UnrecordedSentView[] = [];
    for (const { txHash } of await this.sentBy(chain, wallet)) {
      transactions.push(await this.viewOf(chain, txHash, { owner: wallet.addressKey, amounts }));
    }
    return { address: wallet.address, transactions };
  }

  private walletOf({ chainRef }: ExpiringChain): Promise<HotWallet | null> {
    return this.database.em().findOne(HotWallet, { chainRef }, { disableIdentityMap: true });
  }

  private async sentBy(
    chain: ExpiringChain,
    { addressKey, completeHeight }: HotWallet,
    withinMs?: number,
  ): Promise<readonly SentTransaction[]> {
    return (await readUnrecorded(this.database, chain, { addressKey, completeHeight }, withinMs)).sent;
  }

  private async viewOf(
    chain: ExpiringChain,
    txHash: string,
    { owner, amounts }: { readonly owner: string; readonly amounts: TokenAmounts },
  ): Promise<UnrecordedSentView> {
    const { final, bytes, minedAt } = await found(chain, txHash, amounts.contracts);
    const { height, succeeded, fee } = final;
    const action =
      bytes === 'unreadable'
        ? 'Its form is not supported: somebody else sent it.'
        : await this.actionOf(chain.chainRef, ownSent(bytes, owner), amounts);
    const funds = { changes: changesOf(owner, final, amounts), fee: amounts.coins(fee) };
    return { txHash, height, minedAt, succeeded, ...funds, action };
  }

  private async actionOf(chainRef: string, { action }: SentBytes, amounts: TokenAmounts): Promise<string> {
    return `${sentenceOf(action, amounts)} ${await sentLikeness(this.database, chainRef, action)}`;
  }
}

interface Found {
  readonly final: FinalTransaction;
  readonly bytes: SentBytes | 'unreadable';
  readonly minedAt: Date | null;
}

/** Returns a transaction as the first node shows it that has it. Adoption asks all of them. */
async function found({ nodes }: ExpiringChain, txHash: string, tokens: readonly string[]): Promise<Found> {
  const [answer] = await nodes.ask(async (client): Promise<Found | null> => {
    const [final] = await client.finalTransactionsOf([txHash], tokens);
    const bytes = await client.sentBytesOf(txHash);
    if (final === null || final === undefined || bytes === null) return null;
    return { final, bytes, minedAt: (await client.headerAt(final.height))?.time ?? null };
  });
  if (answer === undefined) throw new ChainUnavailable(`No node shows transaction ${txHash}.`);
  return answer.answer;
}
