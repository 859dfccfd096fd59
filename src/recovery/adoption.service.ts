import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { NATIVE_COIN } from '../domain/network.js';
import { readTransferCall } from '../chains/evm/transfer-call.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, rows, type Tx } from '../platform/database/database.js';
import { adoptContract, readSentDeployment } from './adopted-contract.js';
import { adoptSweep, readSentSweep } from './adopted-sweep.js';
import { type FetchedTransaction, fetchSent } from '../treasury/transactions/fetched-transaction.js';
import { lockWallet } from '../treasury/wallets/locked-wallet.js';
import { NoOrderFits } from '../treasury/transactions/no-order-fits.js';
import { isVersionOf, readSent, type DecodedTransaction } from '../chains/evm/sent-transaction.js';
import { TransactionAttempt } from '../treasury/transactions/transaction-attempt.entity.js';
import type { TransactionPurpose } from '../treasury/transactions/transaction-order.js';
import type { TreasuryChain } from '../treasury/treasury-chains.service.js';
import { evmVersion } from '../treasury/transactions/checked-signature.js';
import { recordSigned, type SignedRecord } from '../treasury/vault-records.js';
import { freezeWallet } from '../treasury/wallets/wallet-freeze.js';
import { adoptPayment } from './adopted-payment.js';
import { holderOf, knownAs, type KnownTransaction, type NonceHolder } from './known-transactions.js';
import { expectAgreed, expectFinal, isFinal, NONCE_USED_OTHERWISE } from './proven-transaction.js';
import { actionOf } from './sent-action.js';
import { supersede } from './superseded-orders.js';
import { findWallet, useNonce } from './transactions.sql.js';

/** An operator's order to adopt transactions. */
export interface AdoptionOrder extends StaffOrder {
  /** Lower case. Several at once when they paid each other's orders by the nonces that are recorded here. */
  readonly txHashes: readonly string[];
  /** The withdrawal or refund that it paid, when several fit, or when the one that fits was ordered later. */
  readonly orderId: string | null;
  /** Adopts it as a loss when no order fits. */
  readonly asLoss: boolean;
  /** Ends a different signed transaction with the same nonce: the chain has decided. */
  readonly supersede: boolean;
}

/** A transaction that the database now records. */
export interface Adopted {
  readonly transactionId: string;
  readonly nonce: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  /** False when it was recorded before. */
  readonly isNew: boolean;
}

/** A transaction that gets a nonce of its own: the next one, or that of the transaction which it supersedes. */
interface Newcomer {
  readonly sent: FetchedTransaction;
  readonly superseded: NonceHolder | null;
}

/** The purpose of a transaction. */
type Purposed = Pick<KnownTransaction, 'purpose' | 'purposeId'>;

/**
 * Adopts transactions that a hot wallet sent before the database was restored to an older state. Their purpose follows
 * from their signed bytes alone; the confirmer finds their outcome, as for every other transaction.
 */
@Injectable()
export class Adoption {
  constructor(private readonly database: Database) {}

  /**
   * Adopts transactions. The nonce of each must be the wallet's next one, or belong to another version of the transaction,
   * or to one that it supersedes. Asks the nodes first, and then records everything in one transaction, as the signer does.
   * Returns them by ascending nonce. A repetition changes nothing.
   * @throws DomainError not_found, invalid_state_transition; ChainUnavailable
   */
  async adopt(chain: TreasuryChain, order: AdoptionOrder): Promise<readonly Adopted[]> {
    const sent: FetchedTransaction[] = [];
    for (const txHash of order.txHashes) {
      if ((await knownAs(this.database.em(), chain.chainRef, txHash)) !== null) continue;
      const fetched = await fetchSent(chain, txHash);
      if (order.supersede) await expectAgreed(this.database, chain, fetched);
      sent.push(fetched);
    }
    sent.sort((one, other) => one.fields.nonce - other.fields.nonce);
    return this.database.transaction(async (tx) => {
      const known: Adopted[] = [];
      for (const txHash of order.txHashes) {
        const row = await knownAs(tx, chain.chainRef, txHash);
        if (row !== null) known.push(adoptedOf(row, false));
      }
      const adopted = [...known, ...(await this.adoptAll(tx, chain.chainRef, sent, order))];
      return adopted.toSorted((one, other) => one.nonce - other.nonce);
    });
  }

  /** Supersedes first and records afterwards: the order that one paid may have been signed with the nonce of another. */
  private async adoptAll(
    tx: Tx,
    chainRef: string,
    sent: readonly FetchedTransaction[],
    order: AdoptionOrder,
  ): Promise<readonly Adopted[]> {
    const versions: Adopted[] = [];
    const newcomers: Newcomer[] = [];
    for (const each of sent) {
      if ((await knownAs(tx, chainRef, each.signed.hash)) !== null) continue;
      await expectOwn(tx, chainRef, each);
      const holder = await holderOf(tx, chainRef, each);
      const version = holder === null ? null : await adoptVersion(tx, chainRef, each, holder);
      if (version !== null) {
        await recordAdoption(tx, chainRef, each, { adopted: version, order });
        versions.push(version);
        continue;
      }
      if (holder === null)
        await expectNext(tx, chainRef, each, newcomers.filter((one) => one.superseded === null).length);
      else await this.supersede(tx, chainRef, each, { holder, order });
      newcomers.push({ sent: each, superseded: holder });
    }
    return [...versions, ...(await this.recordNewcomers(tx, chainRef, newcomers, order))];
  }

  private async supersede(
    tx: Tx,
    chainRef: string,
    sent: FetchedTransaction,
    { holder, order }: { readonly holder: NonceHolder; readonly order: AdoptionOrder },
  ): Promise<void> {
    if (!order.supersede || holder.status !== 'signed') {
      const what = await actionOf(tx, chainRef, sent);
      const advice = holder.status === 'signed' ? ' Once it is final, --supersede adopts it instead.' : '';
      throw refusal(
        `Nonce ${sent.fields.nonce} belongs to ${holder.id} (${holder.status}), and this is no version of it. ${what}${advice}`,
      );
    }
    await expectFinal(tx, chainRef, sent);
    await supersede(tx, holder, { chainRef, sent, staff: order });
  }

  private async recordNewcomers(
    tx: Tx,
    chainRef: string,
    newcomers: readonly Newcomer[],
    order: AdoptionOrder,
  ): Promise<readonly Adopted[]> {
    const purposed: (Newcomer & Purposed)[] = [];
    for (const one of newcomers) purposed.push({ ...one, ...(await purposeOf(tx, chainRef, one.sent, order)) });
    // The signer locks the wallet after the orders as well.
    const wallet = await lockWallet(tx, chainRef);
    let next = wallet?.nextNonce ?? null;
    const recorded: Adopted[] = [];
    for (const { sent, superseded, purpose, purposeId } of purposed) {
      const { nonce } = sent.fields;
      if (superseded === null && next !== nonce) throw refusal('The hot wallet has moved on meanwhile: try again.');
      const transactionId = newId('ctx_');
      await record(tx, chainRef, sent, { transactionId, attempt: 1, purpose, purposeId });
      const adopted = { transactionId, nonce, purpose, purposeId, isNew: true };
      await recordAdoption(tx, chainRef, sent, { adopted, order });
      recorded.push(adopted);
      if (superseded === null) {
        await rows(tx, useNonce(chainRef));
        next = nonce + 1;
      } else {
        // Its order is open again, and another unrecorded transaction may have paid it.
        const what = `${superseded.id} was superseded by an unrecorded transaction with its nonce ${nonce}`;
        await freezeWallet(tx, chainRef, `${what}: adopt every unrecorded transaction before more is signed.`);
      }
    }
    return recorded;
  }
}

/** Adopts another version of the transaction that has its nonce here; returns null when it is none. */
async function adoptVersion(
  tx: Tx,
  chainRef: string,
  sent: DecodedTransaction,
  holder: NonceHolder,
): Promise<Adopted | null> {
  const last = await tx.findOne(
    TransactionAttempt,
    { transactionId: holder.id },
    { fields: ['number', 'rawTransaction'], orderBy: { number: 'desc' }, disableIdentityMap: true },
  );
  const other = last === null ? null : readSent(last.rawTransaction);
  if (last === null || other === null || holder.status !== 'signed' || !isVersionOf(sent, other)) return null;
  const { purpose, purposeId } = holder;
  await record(tx, chainRef, sent, { transactionId: holder.id, attempt: last.number + 1, purpose, purposeId });
  return adoptedOf(holder, true);
}

/** Audits the operator's order: an adoption without it does not count. */
async function recordAdoption(
  tx: Tx,
  chainRef: string,
  sent: FetchedTransaction,
  { adopted, order }: { readonly adopted: Adopted; readonly order: AdoptionOrder },
): Promise<void> {
  const { actor, reason } = order;
  const { purpose, purposeId, transactionId, nonce } = adopted;
  const details: Record<string, string> = {
    chain: chainRef,
    hash: sent.signed.hash,
    nonce: String(nonce),
    transaction: transactionId,
  };
  if (purpose === 'loss') details['loss'] = await actionOf(tx, chainRef, sent);
  await recordAction(tx, { actor, reason, action: 'transaction.adopt', subject: purposeId, details });
}

/** @throws DomainError unless this chain's hot wallet sent it on this chain */
async function expectOwn(tx: Tx, chainRef: string, { sender, fields }: DecodedTransaction): Promise<void> {
  const [wallet] = await rows(tx, findWallet(chainRef));
  if (wallet === undefined) throw notFound('hot wallet');
  // A legacy transaction may be valid on every chain.
  if (fields.chainId !== 0n && wallet.chainId !== String(fields.chainId))
    throw refusal('It was signed for another chain.');
  if (wallet.addressKey !== sender) throw refusal(`It was sent by ${sender}, not by the hot wallet.`);
}

/** @param taken How many of the next nonces belong to transactions before it. */
async function expectNext(
  tx: Tx,
  chainRef: string,
  { fields: { nonce } }: DecodedTransaction,
  taken: number,
): Promise<void> {
  const [wallet] = await rows(tx, findWallet(chainRef));
  const next = Number(wallet?.nextNonce) + taken;
  if (nonce > next) throw refusal(`Its nonce is ${nonce}. The transaction with nonce ${next} comes first.`);
  if (nonce < next)
    throw refusal(`Its nonce is ${nonce}, which is assigned here, but no transaction with it is recorded.`);
}

/** Returns the purpose that follows from its bytes, and marks its order as signed. */
async function purposeOf(
  tx: Tx,
  chainRef: string,
  sent: FetchedTransaction,
  { orderId: named, asLoss }: AdoptionOrder,
): Promise<Purposed> {
  try {
    const sweep = readSentSweep(sent);
    if (sweep !== null) {
      const isRead = await isFinal(tx, chainRef, sent);
      return { purpose: 'sweep', purposeId: await adoptSweep(tx, chainRef, { ...sent, isRead }, sweep) };
    }
    const deployment = readSentDeployment(sent);
    if (deployment !== null) return { purpose: 'contract', purposeId: await adoptContract(tx, chainRef, deployment) };
    const isPlain = sent.delegations.length === 0 && !sent.isNewContract;
    const transfer = isPlain ? readTransferCall(sent.fields) : null;
    if (transfer === null) throw new NoOrderFits('No withdrawal, refund, sweep or deployment does that.');
    const minedAt = sent.block?.time ?? null;
    return await adoptPayment(tx, chainRef, transfer, { minedAt, named, ifNever: NONCE_USED_OTHERWISE });
  } catch (error) {
    if (asLoss && named === null && error instanceof NoOrderFits) {
      await expectFinal(tx, chainRef, sent);
      return { purpose: 'loss', purposeId: newId('los_') };
    }
    if (!(error instanceof DomainError)) throw error;
    const message = `${await actionOf(tx, chainRef, sent)} ${error.message}`;
    throw error instanceof NoOrderFits ? new NoOrderFits(message) : refusal(message);
  }
}

function record(
  tx: Tx,
  chainRef: string,
  { sender, fields, signed }: DecodedTransaction,
  place: { transactionId: string; attempt: number; purpose: TransactionPurpose; purposeId: string },
): Promise<void> {
  const order = movedBy(place.purpose, fields);
  const wallet = { chainRef, addressKey: sender };
  return recordSigned(tx, [{ ...place, order, wallet, version: evmVersion(fields, signed) }], 'adopted');
}

/** Returns what it takes from the wallet. Of a loss that is the coin it carries: its final receipt shows the tokens. */
function movedBy(purpose: TransactionPurpose, fields: DecodedTransaction['fields']): SignedRecord['order'] {
  if (purpose === 'sweep' || purpose === 'contract') return { kind: 'call' };
  const paid = purpose === 'loss' ? null : readTransferCall(fields);
  if (paid === null) return { kind: 'transfer', token: NATIVE_COIN, amount: fields.value };
  return { kind: 'transfer', token: paid.token, amount: paid.amount };
}

const adoptedOf = ({ id, nonce, purpose, purposeId }: KnownTransaction, isNew: boolean): Adopted => ({
  transactionId: id,
  nonce,
  purpose,
  purposeId,
  isNew,
});

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
