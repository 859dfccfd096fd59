import type { Logger } from 'pino';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { Database } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { recordRefusal } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { placeOf, readWaiting, type WaitingOrder, type WaitingOrders } from './waiting-orders.js';

/** Orders per page. */
const PAGE = 300;

/**
 * The result of a run for one order: signed, the reason why it waits, or null when there is nothing to sign: it is
 * already signed, has ended, or another signer has locked it.
 */
export type RunOutcome<Reason extends string> = Reason | 'signed' | null;
/** The results by order id; a missing id means null. */
export type RunOutcomes<Reason extends string> = ReadonlyMap<string, RunOutcome<Reason>>;

/** The specifics of one kind of orders. */
export interface SigningKind<Reason extends string> {
  /** The noun for log messages, such as `withdrawal`. */
  readonly noun: string;
  /** The log field that names the order. */
  readonly logKey: string;
  /** The prefix of its failpoints. */
  readonly failpoint: string;
  /** The rows that wait. */
  readonly waiting: WaitingOrders;
  /** Orders of one chain that are signed in one transaction. */
  readonly together: number;
  /**
   * Signs the orders of one chain that can be signed, and records why the others wait. Everything is committed when
   * this returns, and nothing when it throws.
   * @throws SignedMismatch, VaultError
   */
  sign(vault: Vault, ids: readonly string[]): Promise<RunOutcomes<Reason>>;
}

/** Reasons that apply to every order of a chain. */
const HOLDS_UP_CHAIN: ReadonlySet<string> = new Set<WaitingReason>([
  'no_hot_wallet',
  'chain_halted',
  'wallet_frozen',
  'no_fresh_fees',
  'fees_above_cap',
  'balance_unknown',
]);

/** Chains on which a pass stops early. */
interface Pass {
  /** Nothing can be signed there now. Orders without a recorded reason are still visited to record it. */
  readonly heldUp: Set<string>;
  /** The worker must simulate orders there first: orders that are not simulated yet are left to it. */
  readonly unsimulated: Set<string>;
}

/**
 * Signs orders of one kind with the vault. It gets ids alone: the terms come from the rows, and every rule is checked
 * again. Runs in the vault role.
 */
export class SigningRun<Reason extends string> {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly kind: SigningKind<Reason>,
  ) {}

  /**
   * Signs every waiting order, the oldest first. An order that cannot be signed delays no other.
   * @throws VaultError when the vault has stopped
   */
  async signWaiting(vault: Vault): Promise<void> {
    const pass: Pass = { heldUp: new Set(), unsimulated: new Set() };
    for (let after: WaitingOrder | null = null; ;) {
      const page: readonly WaitingOrder[] = await readWaiting(this.database, this.kind.waiting, {
        after,
        heldUp: [...pass.heldUp],
        limit: PAGE,
      });
      const byChain = Map.groupBy(page, (order) => order.chain_ref);
      for (const [chainRef, orders] of byChain) await this.signOn(vault, chainRef, orders, pass);
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return;
    }
  }

  /**
   * Signs one order, once. Returns the reason why it waits, or null.
   * @throws VaultError when the vault has stopped, and any other error that kept the order from being signed
   */
  async sign(vault: Vault, id: string): Promise<Reason | 'wallet_frozen' | null> {
    try {
      const outcome = (await this.signTogether(vault, [id])).get(id) ?? null;
      return outcome === 'signed' ? null : outcome;
    } catch (error) {
      if (!(error instanceof SignedMismatch)) throw error;
      await this.refuse(id, error);
      return 'wallet_frozen';
    }
  }

  private async signOn(vault: Vault, chainRef: string, orders: readonly WaitingOrder[], pass: Pass): Promise<void> {
    // Signing the first of them shows whether another reason delays the others by now.
    const first = pass.unsimulated.has(chainRef) ? undefined : orders.find((order) => order.is_being_simulated);
    const isAsked = (order: WaitingOrder): boolean => !order.is_being_simulated || order === first;
    await this.signChunks(vault, chainRef, orders.filter(isAsked), pass);
    if (first === undefined || pass.unsimulated.has(chainRef)) return;
    const others = orders.filter((order) => !isAsked(order));
    await this.signChunks(vault, chainRef, others, pass);
  }

  private async signChunks(
    vault: Vault,
    chainRef: string,
    orders: readonly WaitingOrder[],
    { heldUp, unsimulated }: Pass,
  ): Promise<void> {
    const { together } = this.kind;
    for (let from = 0; from < orders.length; from += together) {
      const chunk = orders.slice(from, from + together);
      const asked = heldUp.has(chainRef) ? chunk.filter((order) => !order.has_reason) : chunk;
      if (asked.length === 0) continue;
      const ids = asked.map(({ id }) => id);
      for (const outcome of (await this.signEach(vault, ids)).values()) {
        if (outcome === 'not_simulated') unsimulated.add(chainRef);
        if (outcome !== null && HOLDS_UP_CHAIN.has(outcome)) heldUp.add(chainRef);
      }
    }
  }

  /** Signs orders together; if that fails, one by one. */
  private async signEach(vault: Vault, ids: readonly string[]): Promise<RunOutcomes<Reason | 'wallet_frozen'>> {
    try {
      if (ids.length > 1) return await this.signTogether(vault, ids);
    } catch (error) {
      if (error instanceof VaultError) throw error;
      this.logger.warn({ orders: ids.length, err: error }, `The ${this.kind.noun}s are signed one by one.`);
    }
    const outcomes = new Map<string, RunOutcome<Reason | 'wallet_frozen'>>();
    for (const id of ids) {
      try {
        outcomes.set(id, await this.sign(vault, id));
      } catch (error) {
        if (error instanceof VaultError) throw error;
        this.logger.error({ [this.kind.logKey]: id, err: error }, `The ${this.kind.noun} was not signed.`);
      }
    }
    return outcomes;
  }

  private async signTogether(vault: Vault, ids: readonly string[]): Promise<RunOutcomes<Reason>> {
    const outcomes = await this.kind.sign(vault, ids);
    for (const outcome of outcomes.values()) {
      if (outcome === 'signed') failpoint(`${this.kind.failpoint}.signed_persisted`);
    }
    return outcomes;
  }

  /** The vault did not sign what was ordered. Signing stops on this chain until operators have investigated. */
  private async refuse(id: string, error: SignedMismatch): Promise<void> {
    const { noun, logKey } = this.kind;
    this.logger.fatal({ [logKey]: id, err: error }, `The vault did not sign the ${noun} as it was ordered.`);
    await this.database.transaction(async (tx) => {
      const place = await placeOf(tx, this.kind.waiting, id);
      if (place === null) return;
      const { chainRef, ...order } = place;
      await recordRefusal(tx, { ...order, reason: error.message });
      await freezeWallet(tx, chainRef, error.message);
    });
  }
}
