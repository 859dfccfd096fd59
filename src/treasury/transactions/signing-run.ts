import type { Logger } from 'pino';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { type Database, rows } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { failpoint } from '../../platform/failpoints.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import { VaultError } from '../../vault/vault.js';
import { recordRefusal } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { findOrderBehind, type WaitingTable, waitingOrders } from './waiting-orders.sql.js';

/** Orders per page. */
const PAGE = 300;

type WaitingOrder = RowOf<typeof waitingOrders>;

/** What became of an order: signed, or the reason why it waits. */
export type SigningOutcome<Reason extends string> = Reason | 'signed';
/** By order id. An id is missing when nothing was signed: it is already signed, has ended, or another signer has it. */
export type SigningOutcomes<Reason extends string> = ReadonlyMap<string, SigningOutcome<Reason>>;

/** Orders of one kind that wait for a signature, and how they are signed. */
export interface WaitingOrders<Reason extends string> extends WaitingTable {
  /** The noun for log messages, such as `withdrawal`. */
  readonly noun: string;
  /** The log field that names the order. */
  readonly logKey: string;
  /** The prefix of its failpoints. */
  readonly failpoint: string;
  /** Orders of one chain that are signed in one transaction. */
  readonly together: number;
  /**
   * Signs the orders of one chain that can be signed, and records why the others wait. Everything is committed when
   * this returns, and nothing when it throws.
   * @throws SignedMismatch, VaultError
   */
  sign(ids: readonly string[]): Promise<SigningOutcomes<Reason>>;
}

/** Reasons that apply to every order of a chain. */
const HOLDS_UP_CHAIN: ReadonlySet<string> = new Set<WaitingReason>([
  'no_hot_wallet',
  'chain_halted',
  'listener_paused',
  'wallet_frozen',
  'no_fresh_fees',
  'fees_above_cap',
  'balance_unknown',
]);

/**
 * One run over the waiting orders of one kind. It signs by ids alone: the terms come from the rows, and every rule is
 * checked again.
 */
export class SigningRun<Reason extends string> {
  /** Chains on which nothing can be signed now. Orders without a recorded reason are still visited to record it. */
  private readonly heldUp = new Set<string>();
  /** Chains on which the worker must simulate orders first: those that are not simulated yet are left to it. */
  private readonly unsimulated = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly orders: WaitingOrders<Reason>,
  ) {}

  /**
   * Signs every waiting order, the oldest first. An order that cannot be signed delays no other.
   * @throws VaultError when the vault has stopped
   */
  async signWaiting(): Promise<void> {
    for (let after: WaitingOrder | null = null; ;) {
      const place = { after, heldUp: [...this.heldUp], limit: PAGE };
      const page: readonly WaitingOrder[] = await this.database.rows(waitingOrders(this.orders, place));
      const byChain = Map.groupBy(page, (order) => order.chainRef);
      for (const [chainRef, orders] of byChain) await this.signOn(chainRef, orders);
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return;
    }
  }

  /**
   * Signs one order, once. Returns undefined when nothing was signed, as `SigningOutcomes`.
   * @throws VaultError when the vault has stopped, and any other error that kept the order from being signed
   */
  async sign(id: string): Promise<SigningOutcome<Reason | 'wallet_frozen'> | undefined> {
    try {
      return (await this.signTogether([id])).get(id);
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(id, error);
      return 'wallet_frozen';
    }
  }

  private async signOn(chainRef: string, orders: readonly WaitingOrder[]): Promise<void> {
    // Signing the first of them shows whether another reason delays the others by now.
    const first = this.unsimulated.has(chainRef) ? undefined : orders.find((order) => order.isBeingSimulated);
    const isAsked = (order: WaitingOrder): boolean => !order.isBeingSimulated || order === first;
    await this.signChunks(chainRef, orders.filter(isAsked));
    if (first === undefined || this.unsimulated.has(chainRef)) return;
    const others = orders.filter((order) => !isAsked(order));
    await this.signChunks(chainRef, others);
  }

  private async signChunks(chainRef: string, orders: readonly WaitingOrder[]): Promise<void> {
    const { together } = this.orders;
    for (let from = 0; from < orders.length; from += together) {
      const chunk = orders.slice(from, from + together);
      const asked = this.heldUp.has(chainRef) ? chunk.filter((order) => !order.hasReason) : chunk;
      if (asked.length === 0) continue;
      const ids = asked.map(({ id }) => id);
      for (const outcome of (await this.signEach(ids)).values()) {
        if (outcome === 'not_simulated') this.unsimulated.add(chainRef);
        if (HOLDS_UP_CHAIN.has(outcome)) this.heldUp.add(chainRef);
      }
    }
  }

  /** Signs orders together; if that fails, one by one. */
  private async signEach(ids: readonly string[]): Promise<SigningOutcomes<Reason | 'wallet_frozen'>> {
    try {
      if (ids.length > 1) return await this.signTogether(ids);
    } catch (error) {
      if (error instanceof VaultError) throw error;
      this.logger.warn({ orders: ids.length, err: error }, `The ${this.orders.noun}s are signed one by one.`);
    }
    const outcomes = new Map<string, SigningOutcome<Reason | 'wallet_frozen'>>();
    for (const id of ids) {
      try {
        const outcome = await this.sign(id);
        if (outcome !== undefined) outcomes.set(id, outcome);
      } catch (error) {
        if (error instanceof VaultError) throw error;
        this.logger.error({ [this.orders.logKey]: id, err: error }, `The ${this.orders.noun} was not signed.`);
      }
    }
    return outcomes;
  }

  private async signTogether(ids: readonly string[]): Promise<SigningOutcomes<Reason>> {
    const outcomes = await this.orders.sign(ids);
    for (const outcome of outcomes.values()) {
      if (outcome === 'signed') failpoint(`${this.orders.failpoint}.signed_persisted`);
    }
    return outcomes;
  }

  /** The vault did not sign what was ordered. Signing stops on this chain until operators have investigated. */
  private async refuse(id: string, error: SignedMismatch): Promise<void> {
    const { noun, logKey } = this.orders;
    this.logger.fatal({ [logKey]: id, err: error }, `The vault did not sign the ${noun} as it was ordered.`);
    await this.database.transaction(async (tx) => {
      const [order] = await rows(tx, findOrderBehind(this.orders, id));
      if (order === undefined) return;
      const { chainRef, ...signed } = order;
      await recordRefusal(tx, { ...signed, reason: error.message });
      await freezeWallet(tx, chainRef, error.message);
    });
  }
}
