import { DomainError } from '../domain/errors.js';
import type { Transfer } from '../domain/transfer-call.js';
import { type Tx, sql } from '../platform/database/database.js';
import { isHeld } from './held-coins.js';

interface MatchRow {
  id: string;
  status: string;
  is_signed: boolean;
  merchant_id: string;
  created_at: string;
  pocket_id: string;
  amount: string;
  fee_amount: string;
}

/**
 * Finds the one withdrawal that a transfer has paid, and marks it as signed, as the signer does; gives its id. It must wait
 * unsigned for exactly this token, amount and recipient. Joins the caller's transaction.
 * @param payment When it was mined, and the withdrawal that staff names: where several fit, or where the one that fits was
 * ordered later than that, so that it stands for an order that is lost
 * @throws DomainError invalid_state_transition, saying what was found
 */
export async function adoptWithdrawal(
  tx: Tx,
  chainRef: string,
  { token, recipient, amount }: Transfer,
  payment: { readonly minedAt: Date | null; readonly named: string | null },
): Promise<string> {
  const rows = await sql<MatchRow>(
    tx,
    `select id, status, signed_at is not null as is_signed, merchant_id, created_at, pocket_id, amount, fee_amount
       from withdrawal
      where chain_ref = $1 and destination_key = $2 and lower(token_contract) = $3 and amount = $4
      order by created_at, id for no key update`,
    [chainRef, recipient, token, amount.toString()],
  );
  const found = chosen(rows, payment);
  const order = {
    id: found.id,
    pocketId: found.pocket_id,
    amount: BigInt(found.amount),
    feeAmount: BigInt(found.fee_amount),
  };
  if (!(await isHeld(tx, order)))
    throw refusal(`The books hold nothing for withdrawal ${found.id}, so it is no order.`);
  await sql(tx, `update withdrawal set signed_at = now(), waiting_reason = null where id = $1`, [found.id]);
  return found.id;
}

function chosen(
  rows: readonly MatchRow[],
  { minedAt, named }: { readonly minedAt: Date | null; readonly named: string | null },
): MatchRow {
  const waiting = rows.filter(({ status, is_signed: isSigned }) => status === 'broadcasting' && !isSigned);
  if (named !== null) {
    const row = waiting.find(({ id }) => id === named);
    if (row === undefined) throw refusal(`Withdrawal ${named} does not wait for this payment.`);
    return row;
  }
  const [first, ...more] = waiting;
  if (first === undefined) throw refusal(nothingWaits(rows));
  if (more.length > 0) {
    const ids = waiting.map(({ id }) => id).join(', ');
    throw refusal(`Several withdrawals wait for this payment: ${ids}. Say by --withdrawal which one it is.`);
  }
  const orderedAt = new Date(first.created_at);
  if (minedAt !== null && orderedAt > minedAt) {
    throw refusal(
      `It was mined at ${minedAt.toISOString()}, and only ${first.id} waits for such a payment, which ${first.merchant_id} ` +
        `ordered later, at ${orderedAt.toISOString()}. If that stands for an order that was lost, say so by --withdrawal.`,
    );
  }
  return first;
}

function nothingWaits(rows: readonly MatchRow[]): string {
  const others = rows.map(({ id, status, is_signed: isSigned }) => `${id} (${isSigned ? 'signed, ' : ''}${status})`);
  return others.length === 0
    ? 'No withdrawal waits for it.'
    : `No withdrawal waits for it. These asked for the same: ${others.join(', ')}.`;
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
