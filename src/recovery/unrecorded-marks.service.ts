import { Injectable } from '@nestjs/common';
import { ChainUnavailable } from '../chains/chain.js';
import type { NetworkProfile } from '../chains/networks.js';
import { withTimeout } from '../platform/with-timeout.js';
import type { UnrecordedMarks } from '../treasury/transactions/unrecorded-payments.js';
import { TreasuryChains } from '../treasury/treasury-chains.service.js';
import { UnrecordedSent } from './expiring/unrecorded-sent.service.js';
import { UnrecordedTransactions } from './unrecorded-transactions.service.js';

/** How long a person waits for nodes. */
const ASKED_MS = 5_000;
/** The share of each node in that time: nodes are asked twice in a row, and one that hangs must not hide the others. */
const NODE_MS = 2_000;

/** A chain of the ledger that this process can reach. */
export interface MeantChain {
  readonly chainRef: string;
  readonly profile: NetworkProfile;
}

/** Asks a chain for unrecorded transactions before staff decide. Never within a database transaction. */
@Injectable()
export class UnrecordedMarksReader {
  constructor(
    private readonly chains: TreasuryChains,
    private readonly transactions: UnrecordedTransactions,
    private readonly sent: UnrecordedSent,
  ) {}

  /**
   * Returns the unrecorded transactions of a hot wallet, in order; none if there is no wallet. Null when the chain cannot be
   * asked. A node that takes longer than `withinMs` for an answer is ignored.
   */
  async of(isMeant: (chain: MeantChain) => boolean, withinMs?: number): Promise<UnrecordedMarks> {
    const counting = (await this.chains.active()).find(isMeant);
    const expiring = (await this.chains.expiring.active()).find(isMeant);
    try {
      if (counting !== undefined) {
        const view = await this.transactions.of(counting, withinMs);
        return view?.nonces.map(({ nonce }) => nonce) ?? [];
      }
      return expiring === undefined ? null : await this.sent.idsOn(expiring, withinMs);
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      return null;
    }
  }

  /** Returns the same for a page of the console, within 5 seconds: null when no node answers in that time. */
  async soonOf(isMeant: (chain: MeantChain) => boolean): Promise<UnrecordedMarks> {
    const asked = this.of(isMeant, NODE_MS);
    return (await withTimeout(asked, ASKED_MS)) ? asked : null;
  }
}
