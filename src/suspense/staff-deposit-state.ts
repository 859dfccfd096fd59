import { unattributedReasonText } from '../payments/deposits/unattributed-reason.js';
import type { RowOf } from '../platform/sql/sql.js';
import type { RefundView } from './refunds/refund-reader.service.js';
import { REFUND_FAILURES, REFUND_STANDINGS, type RefundStanding } from './refunds/refund-standing.js';
import type { findStaffDeposit } from './staff-deposit.sql.js';

/** What staff can do about a deposit in the console. */
export const DEPOSIT_OFFERS = ['credit', 'refund', 'release', 'keep', 'cancel_refund'] as const;
export type DepositOffer = (typeof DEPOSIT_OFFERS)[number];

/** The facts that say what is to be done about a deposit. */
export interface DepositState extends Omit<RowOf<typeof findStaffDeposit>, 'seenAt'> {
  /** The newest refund; null when none was ordered. */
  readonly refund: Pick<RefundView, 'destination' | 'status' | 'standing' | 'failureCode'> | null;
}

const isReversed = ({ reversedAt, restoredAt }: DepositState): boolean => reversedAt !== null && restoredAt === null;

const SIGNED: ReadonlySet<string> = new Set<RefundStanding>(['not_sent', 'not_final']);
const isUnsigned = (refund: DepositState['refund']): boolean =>
  refund !== null && refund.standing !== null && !SIGNED.has(refund.standing);

/** Returns what staff can do about a deposit. */
export function offersFor(state: DepositState): DepositOffer[] {
  const { heldAs, goneAt, symbol, refund } = state;
  if (goneAt !== null || isReversed(state)) return [];
  switch (heldAs) {
    // A token that is not in the books cannot be booked.
    case 'suspense':
      return symbol === null ? [] : ['credit', 'refund'];
    case 'frozen':
      return ['release', 'keep'];
    case 'kept':
      return ['release'];
    case 'returning':
      return isUnsigned(refund) ? ['cancel_refund'] : [];
    default:
      return [];
  }
}

/** Returns where the money of a deposit is, and why. */
export function sentenceFor(state: DepositState): string {
  const { status, bookedAt, goneAt } = state;
  if (status === 'orphaned') return 'A reorg removed it: there is no such money.';
  if (isReversed(state)) {
    return goneAt === null
      ? 'It was booked out after a reorg removed it, and it is on the chain again.'
      : 'It was booked out after a reorg removed it.';
  }
  if (goneAt !== null) return 'A reorg removed it after it was final, and it is still in the books.';
  if (status === 'seen') return 'It is not final yet.';
  if (bookedAt === null) return 'It is not booked yet; a worker does so within seconds.';
  return heldText(state) ?? settledText(state);
}

function heldText(state: DepositState): string | null {
  const { heldAs, fromAddress, listedName, refund, unattributedReason: reason } = state;
  if (heldAs === 'suspense') {
    const asked = { network: state.intentNetwork, token: state.intentToken };
    const why = reason === null ? 'it was released, and belongs to no intent' : unattributedReasonText(reason, asked);
    const failure = refund?.failureCode ?? null;
    const before = failure === null ? '' : ` The last refund failed. ${REFUND_FAILURES[failure]}`;
    return `It is in suspense. ${why.charAt(0).toUpperCase()}${why.slice(1)}.${before}`;
  }
  const sender = `its sender ${fromAddress ?? 'inside of a contract'} is on the sanctions list`;
  const name = listedName === null ? '' : ` (${listedName})`;
  if (heldAs === 'frozen') return `It is on hold: ${sender}${name}.`;
  if (heldAs === 'kept') return `Staff decided to keep it on hold: ${sender}${name}.`;
  if (heldAs !== 'returning' || refund === null) return null;
  const standing = refund.standing === null ? '' : ` ${REFUND_STANDINGS[refund.standing]}`;
  return `It is being refunded to ${refund.destination}.${standing}`;
}

function settledText({ refund, paysIntent, late }: DepositState): string {
  if (refund?.status === 'completed') return `It was refunded to ${refund.destination}.`;
  if (!paysIntent) return 'It was credited to a pocket of the merchant by staff.';
  return late
    ? "It is in the merchant's pocket. It came after the end of its intent."
    : "It is in the merchant's pocket.";
}
