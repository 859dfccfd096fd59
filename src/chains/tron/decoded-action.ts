import { fieldsOf, type WireField } from './transaction-fields.js';

/** What a transaction orders; addresses and data in hex. */
export type DecodedAction =
  | { readonly kind: 'coin'; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'delegate' | 'undelegate'; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'stake' | 'unstake' | 'withdraw'; readonly amount: bigint }
  | { readonly kind: 'call'; readonly contract: string; readonly data: string; readonly value: bigint }
  | { readonly kind: 'other' };

/** The one contract of a transaction. */
export interface DecodedContract {
  /** The address that acts and pays, in hex. */
  readonly owner: string;
  readonly action: DecodedAction;
}

const COIN_TRANSFER = 1n;
const CONTRACT_CALL = 31n;
const STAKINGS: ReadonlyMap<bigint, 'stake' | 'unstake'> = new Map([
  [54n, 'stake'],
  [55n, 'unstake'],
]);
const WITHDRAWAL = 56n;
const DELEGATION = 57n;
const UNDELEGATION = 58n;
/** The number of energy among the resources; bandwidth is 0 and left out. */
const ENERGY = 1n;
/** Whether a delegation is locked, which no undelegation has. */
const LOCK_FIELD = 5;

/** Reads what `raw_data` orders. @throws RangeError for bytes that are none */
export function decodedContract(rawData: Buffer): DecodedContract {
  const contract = fieldsOf(bytesAt(fieldsOf(rawData), 11));
  const body = fieldsOf(bytesAt(fieldsOf(bytesAt(contract, 2)), 2));
  return { owner: bytesAt(body, 1).toString('hex'), action: actionOf(numberAt(contract, 1), body) };
}

function actionOf(type: bigint, body: readonly WireField[]): DecodedAction {
  if (type === COIN_TRANSFER) return { kind: 'coin', to: bytesAt(body, 2).toString('hex'), amount: numberAt(body, 3) };
  if (type === DELEGATION || type === UNDELEGATION) return delegationOf(type, body);
  const staking = STAKINGS.get(type);
  // A stake for bandwidth is none of ours.
  if (staking !== undefined && numberAt(body, 3) === ENERGY) return { kind: staking, amount: numberAt(body, 2) };
  if (type === WITHDRAWAL) return { kind: 'withdraw', amount: 0n };
  if (type !== CONTRACT_CALL) return { kind: 'other' };
  const data = body.some(({ number }) => number === 4) ? bytesAt(body, 4).toString('hex') : '';
  return { kind: 'call', contract: bytesAt(body, 2).toString('hex'), data, value: numberAt(body, 3) };
}

/** One of bandwidth, or one that is locked, is none of ours. */
function delegationOf(type: bigint, body: readonly WireField[]): DecodedAction {
  if (numberAt(body, 2) !== ENERGY || numberAt(body, LOCK_FIELD) !== 0n) return { kind: 'other' };
  const kind = type === DELEGATION ? 'delegate' : 'undelegate';
  return { kind, to: bytesAt(body, 4).toString('hex'), amount: numberAt(body, 3) };
}

/** Returns a number; one that is left out is 0. */
function numberAt(fields: readonly WireField[], number: number): bigint {
  const value = fields.find((field) => field.number === number)?.value ?? 0n;
  if (typeof value !== 'bigint') throw new RangeError(`Field ${number} is no number.`);
  return value;
}

function bytesAt(fields: readonly WireField[], number: number): Buffer {
  const value = fields.find((field) => field.number === number)?.value;
  if (value === undefined || typeof value === 'bigint') throw new RangeError(`Field ${number} has no bytes.`);
  return value;
}
