import { DomainError } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Tx } from '../../platform/database/database.js';
import { outcomeOf, ownOutcomeOf } from '../../treasury/expiring/final-outcome.js';
import { coinsLost } from '../../treasury/expiring/lost-funds.js';
import { sweepEnd } from '../../treasury/sweeps/expiring/moved-funds.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import type { TransactionPurpose } from '../../treasury/transactions/transaction-order.js';
import type { SignedRecord } from '../../treasury/vault-records.js';
import { adoptPayment } from '../adopted-payment.js';
import type { AdoptionOrder } from '../adoption.service.js';
import { adoptEnergy } from './adopted-energy.js';
import { adoptMoves } from './adopted-moves.js';
import { adoptStake } from './adopted-stake.js';
import type { ProvenSent } from './proven-sent.js';

/** What an unrecorded transaction was for, and what it took from the hot wallet. */
export interface AdoptedPurpose {
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  readonly order: SignedRecord['order'];
  /** Key of the address that it paid; the hot wallet's where it paid none alone. */
  readonly destination: string;
  /** What it cost beside what it paid, in smallest units of the coin. */
  readonly cost: bigint;
}

/** A transaction of a hot wallet, or of a deposit address that paid for its own sweep, with the key of the hot wallet. */
export interface OwnedSent extends ProvenSent {
  readonly hotWallet: string;
}

/** What to do where the transaction of a signed order is never mined. */
const EXPIRED =
  'It expires by itself; where no node can prove that any more, --supersede proves it by the history of the hot wallet.';

/**
 * Returns the purpose of a transaction, which follows from its bytes, and marks its order as signed. A loss is one that no
 * order explains, if the operator accepts that. Joins the caller's transaction.
 * @throws NoOrderFits; DomainError invalid_state_transition
 */
export async function adoptedPurpose(
  tx: Tx,
  chainRef: string,
  sent: OwnedSent,
  { orderId: named, asLoss }: AdoptionOrder,
): Promise<AdoptedPurpose> {
  try {
    return await orderedBy(tx, chainRef, sent, named);
  } catch (error) {
    if (asLoss && named === null && error instanceof NoOrderFits) return lossOf(sent);
    throw error;
  }
}

async function orderedBy(
  tx: Tx,
  chainRef: string,
  { bytes, final, minedAt, hotWallet }: OwnedSent,
  named: string | null,
): Promise<AdoptedPurpose> {
  const { action, sender } = bytes;
  if (action.kind === 'other') throw new NoOrderFits('No withdrawal, refund or sweep does that.');
  if (action.kind === 'payment') {
    const { token, amount, recipient } = action;
    const outcome = outcomeOf({ sender, ...action }, final);
    if (outcome === null) throw contradiction();
    const paid = await adoptPayment(tx, chainRef, action, { minedAt, named, ifNever: EXPIRED });
    return { ...paid, order: { kind: 'transfer', token, amount }, destination: recipient, cost: outcome.cost };
  }
  if (named !== null) throw new DomainError('invalid_state_transition', `${named} does not wait for a sweep.`);
  if (action.kind === 'energy') {
    const outcome = outcomeOf({ sender, recipient: action.borrower, token: NATIVE_COIN, amount: 0n }, final);
    if (outcome === null) throw contradiction();
    const adopted = await adoptEnergy(tx, chainRef, action);
    return { ...adopted, order: { kind: 'energy' }, destination: action.borrower, cost: outcome.cost };
  }
  if (action.kind === 'stake') {
    const outcome = ownOutcomeOf(sender, final);
    if (outcome === null) throw contradiction();
    const adopted = await adoptStake(tx, chainRef, action);
    return { ...adopted, order: action, destination: sender, cost: outcome.cost };
  }
  const end = sweepEnd({ hotWallet, feePayer: sender, funds: action.items }, final);
  if (end === null) throw contradiction();
  const burned = sender === hotWallet ? null : end.cost;
  const purposeId = await adoptMoves(tx, chainRef, action, { burned, ifNever: EXPIRED });
  return { purpose: 'sweep', purposeId, order: { kind: 'sweep' }, destination: hotWallet, cost: end.cost };
}

function lossOf({ bytes: { action, sender }, final }: ProvenSent): AdoptedPurpose {
  return {
    purpose: 'loss',
    purposeId: newId('los_'),
    // Of a loss the row has the coins: its final changes show the tokens.
    order: { kind: 'transfer', token: NATIVE_COIN, amount: coinsLost(sender, final) },
    destination: action.kind === 'payment' ? action.recipient : sender,
    cost: final.fee,
  };
}

const contradiction = (): DomainError =>
  new DomainError('invalid_state_transition', 'The balances that it changed contradict its bytes.');
