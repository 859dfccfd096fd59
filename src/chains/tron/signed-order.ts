import { NATIVE_COIN } from '../../domain/network.js';
import { SignedMismatch } from '../../domain/signed-mismatch.js';
import type { SignedBytes } from '../expiring-transaction.js';
import type { OrderedEnergy } from '../energy-move.js';
import type { OrderedStake } from '../stake-move.js';
import type { OrderedPayment } from '../ordered-payment.js';
import { isSentBy } from './signed-content.js';
import { checkSignedTransaction } from './signed-transaction-check.js';
import { fieldsOf, type WireField } from './transaction-fields.js';
import type { TronAction, UnsignedTronTransaction } from './unsigned-transaction.js';

/** What a transaction was ordered for; null for what it was not. */
interface TransactionOrders {
  readonly payment: OrderedPayment | null;
  readonly energy: OrderedEnergy | null;
  readonly stake: OrderedStake | null;
  /** Not null for one that nobody ordered, and that staff adopted. */
  readonly loss: object | null;
}

/** Fields that differ when the bytes are those of another transaction. */
const OF_ANOTHER: readonly string[] = ['owner', 'signature', 'txHash', 'raw'];

/**
 * Returns how signed bytes contradict their record or its order, as the end of a sentence; null when they do not. Fees, times
 * and the named block are not ordered, so they are taken from the bytes.
 */
export function contradictionInTransaction(
  { raw, txHash, sender }: SignedBytes & { readonly sender: string },
  { payment, energy, stake, loss }: TransactionOrders,
): string | null {
  if (loss !== null) return isSentBy({ raw, txHash }, sender) ? null : 'holds bytes that its sender has not signed';
  const fields = rawFields(raw);
  if (fields === null) return 'holds bytes that are no transaction';
  const action = stakingOf(stake) ?? (energy === null ? actionOf(payment) : delegationOf(energy));
  if (action === null) return 'does what nothing ordered';
  try {
    checkSignedTransaction({ raw, txHash }, orderedBy(sender, action, fields));
    return null;
  } catch (error) {
    if (!(error instanceof SignedMismatch)) throw error;
    return OF_ANOTHER.includes(error.field) ? 'holds the bytes of another transaction' : 'does what nothing ordered';
  }
}

/** Bytes that cannot be read must not end an audit. */
function rawFields(raw: string): readonly WireField[] | null {
  try {
    const [rawData] = fieldsOf(Buffer.from(raw, 'hex'));
    return rawData === undefined || typeof rawData.value === 'bigint' ? null : fieldsOf(rawData.value);
  } catch {
    return null;
  }
}

function actionOf(payment: OrderedPayment | null): TronAction | null {
  if (payment === null) return null;
  const { token, recipient: to } = payment;
  const amount = BigInt(payment.amount);
  return token === NATIVE_COIN ? { kind: 'coin', to, amount } : { kind: 'token', to, token, amount };
}

const delegationOf = ({ move, borrower: to, stake }: OrderedEnergy): TronAction => ({
  kind: move === 'lend' ? 'delegate' : 'undelegate',
  to,
  amount: BigInt(stake),
});

const stakingOf = (stake: OrderedStake | null): TronAction | null =>
  stake === null ? null : { kind: stake.move, amount: BigInt(stake.amount) };

function orderedBy(owner: string, action: TronAction, fields: readonly WireField[]): UnsignedTronTransaction {
  const valueAt = (number: number): bigint | Buffer => fields.find((field) => field.number === number)?.value ?? 0n;
  const numberAt = (number: number): bigint => {
    const value = valueAt(number);
    return typeof value === 'bigint' ? value : 0n;
  };
  const hexAt = (number: number): string => {
    const value = valueAt(number);
    return typeof value === 'bigint' ? '' : value.toString('hex');
  };
  return {
    family: 'tron',
    owner,
    action,
    // The bytes have these parts of the id alone.
    refBlock: `${'0'.repeat(12)}${hexAt(1)}${hexAt(4)}`,
    expiration: Number(numberAt(8)),
    timestamp: Number(numberAt(14)),
    feeLimit: numberAt(18),
  };
}
