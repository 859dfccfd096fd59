import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import type { Environment, Network } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { recordAction, type StaffOrder } from '../../platform/audit-trail.js';
import { row, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import type { UnrecordedMarks } from '../../treasury/transactions/unrecorded-payments.js';
import { freezeWallet } from '../../treasury/wallets/wallet-freeze.js';
import { lockPolicy } from '../policies/withdrawal-policies.service.js';
import { changePolicy } from '../policies/withdrawal-policies.sql.js';
import { countReorgedDeposits, lockWallet, unfreezeWallet } from './signing-freeze.sql.js';

/** A network in one environment. */
export interface NetworkPlace {
  readonly environment: Environment;
  readonly network: Network;
}

/** Why nothing was signed before; null when it was not frozen. */
export type FrozenReason = string | null;

/** The state of the chain when a hot wallet is unfrozen, and what staff accept about it. */
export interface Unfreezing {
  readonly unknown: UnrecordedMarks;
  /** The reasons that staff saw: a freeze that came after them stays. Absent in a shell, which prints them. */
  readonly seen?: string | undefined;
  /** Staff accept that deposits were reorged. */
  readonly despiteGone?: boolean | undefined;
  /** Staff accept that no node answers: the last known answer counts. */
  readonly despiteUnasked?: boolean | undefined;
}

/**
 * Freezes and unfreezes signing. Nothing is signed after the commit of a freeze, which waits for a running transaction of
 * the vault. Transactions that are already signed are still sent and confirmed.
 */
@Injectable()
export class SigningFreeze {
  /**
   * Freezes the hot wallet of a network. A frozen one keeps its earlier reasons, which are returned, and gets one more: the
   * operator who unfreezes it must see all of them.
   * @throws DomainError not_found when the network has no hot wallet
   */
  async freezeNetwork(tx: Tx, place: NetworkPlace, order: StaffOrder): Promise<FrozenReason> {
    const wallet = await lockWalletOf(tx, place);
    const { chainRef, frozenReason: before } = wallet;
    await freezeWallet(tx, chainRef, order.reason);
    await recordAction(tx, { ...order, action: 'signing.freeze', subject: chainRef });
    return before;
  }

  /**
   * Lets a network's hot wallet sign again. Returns why it was frozen; null when it was not.
   *
   * Refused while the books hold reorged deposits, whatever the freeze was for: payouts would spend money that is not there.
   * @throws DomainError not_found; invalid_state_transition when it is frozen for other reasons than staff saw, when deposits
   * were reorged, when transactions are unrecorded, since the vault would freeze it again, or when no node answers whether any
   * are
   */
  async unfreezeNetwork(
    tx: Tx,
    place: NetworkPlace,
    order: StaffOrder,
    { unknown, seen, despiteGone = false, despiteUnasked = false }: Unfreezing,
  ): Promise<FrozenReason> {
    const wallet = await lockWalletOf(tx, place);
    const { chainRef, frozenReason: frozen } = wallet;
    if (frozen === null) return null;
    expectSeen(frozen, seen);
    const missing = unknown === null ? missingIn(wallet) : markedBy(unknown);
    if (missing !== null) {
      throw new DomainError(
        'invalid_state_transition',
        `The chain counts transactions of this hot wallet that are not known here, ${missing}. ` +
          'Adopt them first: npx coffer treasury unrecorded.',
      );
    }
    if (unknown === null && !despiteUnasked) {
      throw new DomainError(
        'invalid_state_transition',
        'Its chain cannot be asked from here whether it counts transactions that are not known: set the ..._RPC_URL of the ' +
          'network to nodes that answer.',
        { confirmation: 'despite_unasked' },
      );
    }
    const reorged = despiteGone ? 0 : (await row(tx, countReorgedDeposits(chainRef))).count;
    if (reorged > 0) {
      throw new DomainError(
        'invalid_state_transition',
        `Deposits were reorged from this chain (${reorged}) and are still in the books: see npx coffer deposits reorged.`,
      );
    }
    await rows(tx, unfreezeWallet(chainRef));
    await recordAction(tx, { ...order, action: 'signing.unfreeze', subject: chainRef, details: { frozen } });
    return frozen;
  }

  /** Freezes all withdrawals of a merchant in one environment; returns the same as `freezeNetwork`. */
  async freezeMerchant(tx: Tx, tenant: Tenant, order: StaffOrder): Promise<FrozenReason> {
    const { frozenReason: before } = await lockPolicy(tx, tenant);
    await rows(tx, changePolicy(tenant, { frozenReason: joined(before, order) }));
    await recordAction(tx, { ...order, action: 'signing.freeze', subject: subjectOf(tenant) });
    return before;
  }

  /**
   * Lets a merchant's withdrawals be signed again; returns the same as `unfreezeNetwork`.
   * @throws DomainError invalid_state_transition when they are frozen for other reasons than staff saw
   */
  async unfreezeMerchant(tx: Tx, tenant: Tenant, order: StaffOrder, seen?: string): Promise<FrozenReason> {
    const { frozenReason: frozen } = await lockPolicy(tx, tenant);
    if (frozen === null) return null;
    expectSeen(frozen, seen);
    await rows(tx, changePolicy(tenant, { frozenReason: null }));
    await recordAction(tx, { ...order, action: 'signing.unfreeze', subject: subjectOf(tenant), details: { frozen } });
    return frozen;
  }
}

/** A freeze that came after staff have looked must not end with the ones that they know. */
function expectSeen(frozen: string, seen: string | undefined): void {
  if (seen === undefined || seen === frozen) return;
  throw new DomainError(
    'invalid_state_transition',
    `The reasons for the freeze have changed since you looked. They are now: ${frozen}. Look at them, then unfreeze signing.`,
  );
}

/** Joins the reasons for a freeze, the oldest first. */
const joined = (before: FrozenReason, { reason }: StaffOrder): string =>
  before === null ? reason : `${before}; ${reason}`;

/** Returns the audit's subject for a merchant in one environment. */
export const subjectOf = ({ merchantId, environment }: Tenant): string => `${merchantId}/${environment}`;

type Wallet = RowOf<typeof lockWallet>;

/** Returns which transactions are missing, as a part of a sentence; null when none is. */
function markedBy(unknown: NonNullable<UnrecordedMarks>): string | null {
  if (unknown.length === 0) return null;
  return typeof unknown[0] === 'number' ? `with the nonces ${unknown.join(', ')}` : `such as ${unknown[0]}`;
}

/** Returns the nonces that the chain's last answer counted beyond ours; null when there were none. */
function missingIn({ nextNonce: next, chainNonce: counted }: Wallet): string | null {
  if (counted === null || Number(counted) <= Number(next)) return null;
  return `with the nonces ${next} to ${Number(counted) - 1}`;
}

async function lockWalletOf(tx: Tx, place: NetworkPlace): Promise<Wallet> {
  const [wallet] = await rows(tx, lockWallet(place));
  if (wallet !== undefined) return wallet;
  const { environment, network } = place;
  throw notFound(`hot wallet: the vault has created none on ${environment}/${network}`);
}
