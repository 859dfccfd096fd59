import type { Logger } from 'pino';
import type { WaitingReason } from '../../domain/withdrawal.js';
import type { Database } from '../../platform/database/database.js';
import { failpoint } from '../../platform/failpoints.js';
import { SignedMismatch } from '../../vault/signed-check.js';
import { type Vault, VaultError } from '../../vault/vault.js';
import { recordRefusal } from '../vault-records.js';
import { freezeWallet } from '../wallets/wallet-freeze.js';
import { placeOf, readWaiting, type WaitingOrder, type WaitingOrders } from './waiting-orders.js';

/** So many orders are read at a time. */
const PAGE = 300;

/**
 * What became of an order in a run: signed, the reason why it waits, or null where nothing is to be signed for it: it is
 * signed already, has ended, or another signer has it.
 */
export type RunOutcome<Reason extends string> = Reason | 'signed' | null;
/** The same by the ids of the orders; one that is left out stands for null. */
export type RunOutcomes<Reason extends string> = ReadonlyMap<string, RunOutcome<Reason>>;

/** What is specific to orders of one kind. */
export interface SigningKind<Reason extends string> {
  /** In log messages, such as `withdrawal`. */
  readonly noun: string;
  /** Under this key log lines name the order. */
  readonly logKey: string;
  /** How its failpoints begin. */
  readonly failpoint: string;
  /** Which rows wait. */
  readonly waiting: WaitingOrders;
  /** So many orders of one chain are signed in one transaction. */
  readonly together: number;
  /**
   * Signs those of these orders of one chain that can be signed, and writes down why the others wait. All of it is committed
   * when this returns, or nothing when it throws.
   * @throws SignedMismatch, VaultError
   */
  sign(vault: Vault, ids: readonly string[]): Promise<RunOutcomes<Reason>>;
}

/** What holds up one order of a chain for these reasons holds up all of them. */
const HOLDS_UP_CHAIN: ReadonlySet<string> = new Set<WaitingReason>([
  'no_hot_wallet',
  'chain_halted',
  'wallet_frozen',
  'no_fresh_fees',
  'fees_above_cap',
  'balance_unknown',
]);

/** Chains on which a pass finds that nothing more is to be asked. */
interface Pass {
  /** Nothing is signed there now. One more look gives an order its reason to wait. */
  readonly heldUp: Set<string>;
  /** The worker has to simulate orders there first: all that are not simulated yet are left to it. */
  readonly unsimulated: Set<string>;
}

/**
 * Has the vault sign orders of one kind. It is told ids alone: what is signed comes from the rows, and every rule is asked
 * again. Runs in the vault role.
 */
export class SigningRun<Reason extends string> {
  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    private readonly kind: SigningKind<Reason>,
  ) {}

  /**
   * Signs everything that waits for it, the oldest first. One that cannot be signed holds up no other.
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
   * Signs one order, once. Gives the reason why it waits, or null.
   * @throws VaultError when the vault has stopped, and whatever else kept the order from being signed
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
    // One look at the first of them shows whether something else holds up the others by now.
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

  /** Signs orders together. When that fails nothing of it is kept, and each order is signed by itself. */
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

  /** The vault did not sign what was ordered. Whatever the cause, nothing more is signed on this chain before staff looked. */
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
