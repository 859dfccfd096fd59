import type { SentAction, SentEnergy, SentPayment, SentStake, SentSweep } from '../../chains/expiring-sent.js';
import { type Database, rows, type Tx } from '../../platform/database/database.js';
import { findAddresses } from '../../treasury/wallets/deposit-addresses.sql.js';
import { findRefundsLike, findWithdrawalsLike } from '../adopted-payment.sql.js';
import { signedStakes } from './signed-rivals.sql.js';

const UNEXPLAINED = 'No order explains it: have its order made again and name that, or adopt it as a loss.';

/** Says in one sentence which orders a transaction fits. What it is adopted as is decided then. */
export function sentLikeness(database: Database, chainRef: string, action: SentAction): Promise<string> {
  return database.transaction((tx) => {
    if (action.kind === 'payment') return paymentLikeness(tx, chainRef, action);
    if (action.kind === 'energy') return energyLikeness(tx, chainRef, action);
    if (action.kind === 'stake') return stakeLikeness(tx, chainRef, action);
    return action.kind === 'sweep' ? sweepLikeness(tx, chainRef, action) : Promise.resolve(UNEXPLAINED);
  });
}

async function paymentLikeness(tx: Tx, chainRef: string, payment: SentPayment): Promise<string> {
  const withdrawals = await rows(tx, findWithdrawalsLike(chainRef, payment));
  const refunds = await rows(tx, findRefundsLike(chainRef, payment));
  const open = [...withdrawals, ...refunds].filter(({ status }) => status === 'broadcasting');
  const idsOf = (isSigned: boolean): readonly string[] =>
    open.filter((order) => order.isSigned === isSigned).map(({ id }) => id);
  const [only, ...others] = idsOf(false);
  if (only !== undefined)
    return others.length === 0 ? `${only} waits for this.` : `These wait for this: ${[only, ...others].join(', ')}.`;
  const signed = idsOf(true);
  if (signed.length > 0) return `${signed.join(', ')} asked for the same, and a transaction is signed for it.`;
  return UNEXPLAINED;
}

async function sweepLikeness(tx: Tx, chainRef: string, { items }: SentSweep): Promise<string> {
  const owners = [...new Set(items.map(({ owner }) => owner))];
  const known = await rows(tx, findAddresses(chainRef, owners));
  if (known.length === owners.length) return 'They are of known deposit addresses.';
  return `This database does not have ${owners.length - known.length} of its ${owners.length} addresses.`;
}

async function energyLikeness(tx: Tx, chainRef: string, { move, borrower }: SentEnergy): Promise<string> {
  const known = await rows(tx, findAddresses(chainRef, [borrower]));
  if (known.length === 0) return 'This database does not have the address.';
  return move === 'lend' ? 'It is a loan of energy for a sweep.' : 'It is the return of a loan of energy.';
}

async function stakeLikeness(tx: Tx, chainRef: string, stake: SentStake): Promise<string> {
  const [signed] = await rows(tx, signedStakes(chainRef, stake));
  const adopt = 'Adopt it: the coins stay in the hot wallet.';
  return signed === undefined
    ? adopt
    : `${signed.purposeId} ordered the same, and another transaction is signed. ${adopt}`;
}
