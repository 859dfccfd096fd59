import { DomainError } from '../domain/errors.js';
import { Entry } from '../ledger/entry.entity.js';
import { lastActionOn } from '../platform/audit-trail.js';
import type { Tx } from '../platform/database/database.js';
import type { LockedDeposit } from './locked-deposit.js';
import { Refund } from './refunds/refund.entity.js';

/** A deposit that is not on the chain cannot be given out. */
export function notOnChain(): DomainError {
  return invalidState('A reorg removed it after it was final: there is no such money.');
}

/** Returns why a deposit cannot be resolved. */
export async function notInSuspense(tx: Tx, deposit: LockedDeposit): Promise<DomainError> {
  const { id, heldAs, intentId } = deposit;
  if (heldAs === 'returning') return onItsWay(tx, id);
  if (heldAs !== null)
    return invalidState('It is on hold because its sender is on the sanctions list. Release it first.');
  if (intentId !== null) return invalidState(`It is not unattributed: it pays the payment intent ${intentId}.`);
  return notYetOrNoMore(deposit) ?? decided(tx, id, 'It is resolved already');
}

/** A deposit that is being refunded cannot be used for anything else: it may leave, or come back, at any time. */
export async function onItsWay(tx: Tx, id: string): Promise<DomainError> {
  const open = await tx.findOne(
    Refund,
    { depositId: id, status: 'broadcasting' },
    { fields: ['destination'], disableIdentityMap: true },
  );
  return invalidState(
    `It is on its way out to ${open?.destination ?? 'an address'} by ${open?.id ?? 'a refund'}: cancel that first ` +
      '(npx coffer refunds cancel), or wait for its end once it is signed.',
  );
}

/** Returns why a deposit cannot be released or kept. */
export async function notFrozen(tx: Tx, deposit: LockedDeposit): Promise<DomainError> {
  const pending = notYetOrNoMore(deposit);
  if (pending !== null) return pending;
  const releases = await tx.count(Entry, { reference: `release:${deposit.id}` });
  if (releases > 0) return decided(tx, deposit.id, 'It is released already');
  return invalidState('It was never frozen: its sender was on no sanctions list when it became final.');
}

function notYetOrNoMore({ status, isBooked, isReversed }: LockedDeposit): DomainError | null {
  if (status === 'orphaned') return invalidState('A reorg removed it: there is no such money.');
  if (status === 'seen') return invalidState('It is not final yet.');
  if (isReversed) return invalidState('It was reversed after a reorg removed it.');
  return isBooked ? null : invalidState('It is not booked yet; a worker does so within seconds.');
}

/** Names who decided and when, as the audit recorded it. */
export async function decided(tx: Tx, id: string, what: string): Promise<DomainError> {
  const last = await lastActionOn(tx, id);
  return invalidState(last === null ? `${what}.` : `${what}: ${last}.`);
}

/** The deposit is not in the state that the decision needs. */
export function invalidState(message: string): DomainError {
  return new DomainError('invalid_state_transition', message);
}
