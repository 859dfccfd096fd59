import type { SentEnergy } from '../../chains/expiring-sent.js';
import { DomainError } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { rows, type Tx } from '../../platform/database/database.js';
import { insertLoan } from '../../treasury/sweeps/energy/energy-loans.sql.js';
import { insertReturn } from '../../treasury/sweeps/energy/energy-returns.sql.js';
import { finishSweeps } from '../../treasury/sweeps/sweep-rows.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import { findAddresses } from '../../treasury/wallets/deposit-addresses.sql.js';
import { lockReturnableLoan, markLoanSigned, markReturnSigned } from './adopted-energy.sql.js';

/** What a loan or a return of energy is recorded as. */
interface AdoptedEnergy {
  readonly purpose: 'energy_loan' | 'energy_return';
  readonly purposeId: string;
}

/**
 * Records an unrecorded loan or return of energy as the signer does: for the order that waits for it, where there is one.
 * Otherwise a loan has no sweep, which was lost with its row, so its energy is ordered back once the loan is in the books. A
 * return ends a loan that they have; the unsigned sweep of that ends, since its address has no energy any more. Joins the
 * caller's transaction.
 * @throws NoOrderFits; DomainError invalid_state_transition
 */
export async function adoptEnergy(tx: Tx, chainRef: string, energy: SentEnergy): Promise<AdoptedEnergy> {
  const { move, borrower, stake } = energy;
  const [address] = await rows(tx, findAddresses(chainRef, [borrower]));
  if (address === undefined) throw new NoOrderFits(`${borrower} is no address of this database.`);
  if (move === 'take_back') return adoptReturn(tx, chainRef, { addressId: address.id, stake });
  const waiting = await rows(tx, markLoanSigned(chainRef, { addressId: address.id, stake }));
  const purposeId = waiting[0]?.id ?? newId('eln_');
  if (waiting.length > 0) return { purpose: 'energy_loan', purposeId };
  await rows(tx, insertLoan({ id: purposeId, sweepId: null, chainRef, addressId: Number(address.id), stake }, true));
  return { purpose: 'energy_loan', purposeId };
}

async function adoptReturn(
  tx: Tx,
  chainRef: string,
  lent: { readonly addressId: string; readonly stake: bigint },
): Promise<AdoptedEnergy> {
  const [loan] = await rows(tx, lockReturnableLoan(chainRef, lent));
  if (loan === undefined)
    throw new NoOrderFits('No loan of the books lends that: adopt the loan first, and wait until it has ended here.');
  const { id, sweepId, isSweepSigned, returnId, isReturnSigned } = loan;
  if (isSweepSigned) throw refusal(`Sweep ${sweepId} uses this energy and is not final yet. It expires by itself.`);
  if (isReturnSigned) throw refusal(`${returnId} is signed for the same and not final yet. It expires by itself.`);
  if (sweepId !== null && returnId === null) await finishSweeps(tx, [sweepId]);
  const ordered = (await rows(tx, markReturnSigned(id)))[0]?.id;
  if (ordered !== undefined) return { purpose: 'energy_return', purposeId: ordered };
  const purposeId = newId('ert_');
  await rows(tx, insertReturn(purposeId, id, true));
  return { purpose: 'energy_return', purposeId };
}

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
