import { DomainError } from '../domain/errors.js';
import type { Transfer } from '../chains/evm/transfer-call.js';
import { rows, type Tx } from '../platform/database/database.js';
import { heldRefunds, lockRefund } from '../suspense/refunds/refund-order.js';
import type { RowOf } from '../platform/sql/sql.js';
import { NoOrderFits } from '../treasury/transactions/no-order-fits.js';
import { heldAmong } from '../withdrawals/payouts/held-funds.js';
import { lockRefunds, lockWithdrawals, markSigned } from './adopted-payment.sql.js';

/**
 * The time of a block may be earlier than its payments: it is the time of its slot, in whole seconds, by another clock.
 * Without this margin a payment could seem older than its order; it would be booked as a loss, and the order paid twice.
 */
const CLOCKS_DIFFER_MS = 60_000;

/** A withdrawal or a refund, by its table. */
export interface PaidOrder {
  readonly purpose: 'withdrawal' | 'deposit_return';
  readonly purposeId: string;
}

type MatchRow = RowOf<typeof lockWithdrawals> | RowOf<typeof lockRefunds>;

/** The facts about a payment that decide which order it paid. */
interface Payment {
  /** The time of its block; null before it is mined. */
  readonly minedAt: Date | null;
  /** The order that staff named: needed when several fit, or when the one that fits replaces a lost, earlier order. */
  readonly named: string | null;
  /** What to do where the transaction that is signed for an order is never mined, as a sentence. */
  readonly ifNever: string;
}

/**
 * Finds the one withdrawal or refund that a transfer has paid, and marks it as signed, as the signer does. It must be
 * unsigned, and have exactly this token, amount and recipient. Joins the caller's transaction.
 * @throws NoOrderFits; DomainError invalid_state_transition. Both list the orders that were found
 */
export async function adoptPayment(tx: Tx, chainRef: string, transfer: Transfer, payment: Payment): Promise<PaidOrder> {
  const withdrawals = await rows(tx, lockWithdrawals(chainRef, transfer));
  const refunds = await rows(tx, lockRefunds(chainRef, transfer));
  const { purpose, id } = chosen([...withdrawals, ...refunds], payment);
  const isOrder = purpose === 'withdrawal' ? (await heldAmong(tx, [id])).has(id) : await isOpenRefundHeld(tx, id);
  if (!isOrder) throw refusal(`The books hold nothing for ${WORDS[purpose]} ${id}, so it is not an order.`);
  await rows(tx, markSigned[purpose](id));
  return { purpose, purposeId: id };
}

const WORDS: Readonly<Record<PaidOrder['purpose'], string>> = { withdrawal: 'withdrawal', deposit_return: 'refund' };

async function isOpenRefundHeld(tx: Tx, id: string): Promise<boolean> {
  const order = await lockRefund(tx, id, 'refund');
  return order !== null && (await heldRefunds(tx, [order])).has(id);
}

function chosen(matches: readonly MatchRow[], { minedAt, named, ifNever }: Payment): MatchRow {
  const open = matches.filter(({ status }) => status === 'broadcasting');
  const waiting = open.filter(({ isSigned }) => !isSigned);
  if (named !== null) {
    const row = waiting.find(({ id }) => id === named);
    if (row === undefined) throw refusal(`${named} does not wait for this payment.`);
    return row;
  }
  if (waiting.length > 1) {
    throw refusal(
      `Several orders wait for this payment: ${idsOf(waiting)}. Name the right one by --withdrawal or --return.`,
    );
  }
  const [only] = waiting;
  if (only !== undefined && (minedAt === null || !isLater(only, minedAt))) return only;
  // If the transaction of a signed order is never mined, this payment may have been for that order.
  const signed = open.filter(({ isSigned }) => isSigned);
  if (signed.length > 0) throw refusal(mayBePaid(signed, ifNever));
  throw new NoOrderFits(
    only === undefined || minedAt === null ? nothingWaits(matches) : wasOrderedLater(only, minedAt),
  );
}

const isLater = ({ createdAt }: MatchRow, minedAt: Date): boolean =>
  new Date(createdAt).getTime() > minedAt.getTime() + CLOCKS_DIFFER_MS;

const idsOf = (matches: readonly MatchRow[]): string => matches.map(({ id }) => id).join(', ');

const mayBePaid = (signed: readonly MatchRow[], ifNever: string): string =>
  `${idsOf(signed)} asked for the same, and what was signed for it is not final yet: try again once it is. ${ifNever}`;

const wasOrderedLater = ({ id, merchantId, createdAt }: MatchRow, minedAt: Date): string =>
  `It was mined at ${minedAt.toISOString()}, and only ${id} waits for such a payment, which ` +
  `${merchantId ?? 'staff'} ordered later, at ${new Date(createdAt).toISOString()}. If that replaces an order that ` +
  'was lost, name it by --withdrawal or --return.';

function nothingWaits(matches: readonly MatchRow[]): string {
  const others = matches.map(({ id, status, isSigned }) => `${id} (${isSigned ? 'signed, ' : ''}${status})`);
  return others.length === 0
    ? 'No withdrawal or refund order matches this transaction.'
    : `No withdrawal or refund order matches this transaction. These asked for the same: ${others.join(', ')}.`;
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
