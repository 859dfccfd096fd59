import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { NATIVE_COIN } from '../domain/network.js';
import { readTransferCall } from '../domain/transfer-call.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { Database, type Tx, sql } from '../platform/database/database.js';
import { adoptContract, readSentDeployment } from '../sweeps/adopted-contract.js';
import { adoptSweep, readSentSweep } from '../sweeps/adopted-sweep.js';
import type { ChainTransactionStatus } from '../treasury/chain-transaction.entity.js';
import { type FetchedTransaction, fetchSent } from '../treasury/fetched-transaction.js';
import { lockWallet } from '../treasury/locked-wallet.js';
import { isVersionOf, readSent, type SentTransaction } from '../treasury/sent-transaction.js';
import type { TransactionPurpose } from '../treasury/standing-order.js';
import type { TreasuryChain } from '../treasury/treasury-chains.service.js';
import { recordSigned, type SignedRecord } from '../treasury/vault-records.js';
import { adoptPayment, NoOrderFits } from './adopted-payment.js';
import { expectAgreed, expectFinal } from './proven-transaction.js';
import { actionOf } from './sent-action.js';
import { SupersededOrders } from './superseded-orders.js';

/** What an operator wants to be taken into the books. */
export interface AdoptionOrder extends StaffOrder {
  /** Lower case. */
  readonly txHash: string;
  /** Which withdrawal or return it paid, where several fit, or the one that fits was ordered later. */
  readonly orderId: string | null;
  /** Where no order fits, it is taken in as a loss. */
  readonly asLoss: boolean;
  /** Where its nonce has something else here that was signed, that is ended: the chain has decided. */
  readonly supersede: boolean;
}

/** A transaction that is in the books now. */
export interface Adopted {
  readonly transactionId: string;
  readonly nonce: number;
  readonly purpose: TransactionPurpose;
  readonly purposeId: string;
  /** False when it was in the books before. */
  readonly isNew: boolean;
}

interface KnownRow {
  id: string;
  nonce: string;
  purpose: TransactionPurpose;
  purpose_id: string;
}

/** What has a nonce here. */
interface HolderRow extends KnownRow {
  status: ChainTransactionStatus;
}

/** Two transactions with one nonce: the one that the chain has, and the one that is known here. */
interface Rivalry {
  readonly chainRef: string;
  readonly sent: FetchedTransaction;
  readonly order: AdoptionOrder;
  readonly holder: HolderRow;
}

/**
 * Takes into the books what a hot wallet sent before the database was restored to an older state. What it was for follows
 * from its signed bytes alone; how it ended is found out by the confirmer, as ever.
 */
@Injectable()
export class Adoption {
  constructor(
    private readonly database: Database,
    private readonly orders: SupersededOrders,
  ) {}

  /**
   * Adopts one transaction, whose nonce is the wallet's next one, or belongs to another version of it. The node is asked
   * first; then everything happens in one transaction, as the signer would have left it. Twice changes nothing.
   * @throws DomainError not_found, invalid_state_transition; ChainUnavailable
   */
  async adopt(chain: TreasuryChain, order: AdoptionOrder): Promise<Adopted> {
    const { chainRef } = chain;
    const known = await knownAs(this.database.em(), chainRef, order.txHash);
    if (known !== null) return known;
    const sent = await fetchSent(chain, order.txHash);
    if (order.supersede) await expectAgreed(this.database, chain, sent);
    return this.database.transaction(async (tx) => {
      const meanwhile = await knownAs(tx, chainRef, order.txHash);
      if (meanwhile !== null) return meanwhile;
      await expectOwn(tx, chainRef, sent);
      const holder = await holderOf(tx, chainRef, sent);
      const version = holder === null ? null : await this.adoptVersion(tx, chainRef, sent, holder);
      const adopted =
        version ??
        (holder === null
          ? await this.adoptNext(tx, chainRef, sent, order)
          : await this.adoptInstead(tx, { chainRef, sent, order, holder }));
      const { txHash, actor, reason } = order;
      const { purpose, purposeId, transactionId, nonce } = adopted;
      const details: Record<string, string> = {
        chain: chainRef,
        hash: txHash,
        nonce: String(nonce),
        transaction: transactionId,
      };
      if (purpose === 'loss') details['loss'] = await actionOf(tx, chainRef, sent);
      await recordAction(tx, { actor, reason, action: 'transaction.adopt', subject: purposeId, details });
      return adopted;
    });
  }

  /** One more version of the transaction that has its nonce here; null when it is none. */
  private async adoptVersion(
    tx: Tx,
    chainRef: string,
    sent: SentTransaction,
    holder: HolderRow,
  ): Promise<Adopted | null> {
    const versions = await sql<{ number: number; raw_transaction: string }>(
      tx,
      `select number, raw_transaction from transaction_attempt where transaction_id = $1 order by number desc`,
      [holder.id],
    );
    const last = versions.at(0);
    const other = last === undefined ? null : readSent(last.raw_transaction);
    if (last === undefined || other === null || holder.status !== 'signed' || !isVersionOf(sent, other)) return null;
    await record(tx, chainRef, sent, {
      transactionId: holder.id,
      attempt: last.number + 1,
      purpose: holder.purpose,
      purposeId: holder.purpose_id,
    });
    return adoptedOf(holder, true);
  }

  /** In place of what was signed here with its nonce, which the chain will never take: that is ended with its order. */
  private async adoptInstead(tx: Tx, { chainRef, sent, order, holder }: Rivalry): Promise<Adopted> {
    const { nonce } = sent.fields;
    if (!order.supersede || holder.status !== 'signed') {
      const what = await actionOf(tx, chainRef, sent);
      const advice = holder.status === 'signed' ? ' Once it is final, --supersede ends what was signed here.' : '';
      throw refusal(
        `Nonce ${nonce} belongs to ${holder.id} (${holder.status}), and this is no version of it. ${what}${advice}`,
      );
    }
    await expectFinal(tx, chainRef, sent);
    const { actor, reason, txHash } = order;
    const details = { chain: chainRef, hash: txHash, nonce: String(nonce) };
    await recordAction(tx, { actor, reason, action: 'transaction.supersede', subject: holder.id, details });
    await sql(tx, `update chain_transaction set status = 'superseded', finished_at = now() where id = $1`, [holder.id]);
    const { purpose, purposeId } = await purposeOf(tx, chainRef, sent, order);
    await lockWallet(tx, chainRef);
    const transactionId = newId('ctx_');
    await record(tx, chainRef, sent, { transactionId, attempt: 1, purpose, purposeId });
    await this.orders.end(tx, holder.purpose, holder.purpose_id);
    return { transactionId, nonce, purpose, purposeId, isNew: true };
  }

  private async adoptNext(tx: Tx, chainRef: string, sent: FetchedTransaction, order: AdoptionOrder): Promise<Adopted> {
    const { nonce } = sent.fields;
    await expectNext(tx, chainRef, nonce);
    const { purpose, purposeId } = await purposeOf(tx, chainRef, sent, order);
    // After the order, as the signer locks them.
    const wallet = await lockWallet(tx, chainRef);
    if (wallet?.nextNonce !== nonce) throw refusal('The hot wallet has moved on meanwhile: try again.');
    const transactionId = newId('ctx_');
    await record(tx, chainRef, sent, { transactionId, attempt: 1, purpose, purposeId });
    await sql(tx, `update hot_wallet set next_nonce = next_nonce + 1 where chain_ref = $1`, [chainRef]);
    return { transactionId, nonce, purpose, purposeId, isNew: true };
  }
}

/** What has its nonce here; null when nothing has. */
async function holderOf(tx: Tx, chainRef: string, { sender, fields }: SentTransaction): Promise<HolderRow | null> {
  const [row] = await sql<HolderRow>(
    tx,
    `select id, nonce, purpose, purpose_id, status from chain_transaction
      where chain_ref = $1 and sender = $2 and nonce = $3 and status <> 'superseded' for no key update`,
    [chainRef, sender, fields.nonce],
  );
  return row ?? null;
}

/** What is in the books by this hash; null when nothing is. */
async function knownAs(tx: Tx, chainRef: string, txHash: string): Promise<Adopted | null> {
  const [row] = await sql<KnownRow>(
    tx,
    `select transaction.id, transaction.nonce, transaction.purpose, transaction.purpose_id
       from transaction_attempt attempt join chain_transaction transaction on transaction.id = attempt.transaction_id
      where attempt.tx_hash = $2 and transaction.chain_ref = $1`,
    [chainRef, txHash],
  );
  return row === undefined ? null : adoptedOf(row, false);
}

/** Of this chain's hot wallet, for this chain. */
async function expectOwn(tx: Tx, chainRef: string, { sender, fields }: SentTransaction): Promise<void> {
  const [wallet] = await sql<{ address_key: string; chain_id: string }>(
    tx,
    `select address_key, chain_id from hot_wallet join chain on chain.id = chain_ref where chain_ref = $1`,
    [chainRef],
  );
  if (wallet === undefined) throw notFound('hot wallet');
  if (wallet.chain_id !== String(fields.chainId)) throw refusal('It was signed for another chain.');
  if (wallet.address_key !== sender) throw refusal(`It was sent by ${sender}, not by the hot wallet.`);
}

async function expectNext(tx: Tx, chainRef: string, nonce: number): Promise<void> {
  const [wallet] = await sql<{ next_nonce: string }>(tx, `select next_nonce from hot_wallet where chain_ref = $1`, [
    chainRef,
  ]);
  const next = Number(wallet?.next_nonce);
  if (nonce > next) throw refusal(`Its nonce is ${nonce}. The transaction with nonce ${next} comes first.`);
  if (nonce < next) throw refusal(`Its nonce is ${nonce}, which was given out, and no transaction of it is known.`);
}

/** What it was for, by its bytes, with the order behind it marked as signed. */
async function purposeOf(
  tx: Tx,
  chainRef: string,
  sent: FetchedTransaction,
  { orderId: named, asLoss }: AdoptionOrder,
): Promise<{ purpose: TransactionPurpose; purposeId: string }> {
  try {
    const sweep = readSentSweep(sent);
    if (sweep !== null) return { purpose: 'sweep', purposeId: await adoptSweep(tx, chainRef, sent, sweep) };
    const deployment = readSentDeployment(sent);
    if (deployment !== null) return { purpose: 'contract', purposeId: await adoptContract(tx, chainRef, deployment) };
    const transfer = sent.delegations.length === 0 ? readTransferCall(sent.fields) : null;
    if (transfer === null) throw new NoOrderFits('No withdrawal, return, sweep or deployment does that.');
    return await adoptPayment(tx, chainRef, transfer, { minedAt: sent.block?.time ?? null, named });
  } catch (error) {
    if (asLoss && named === null && error instanceof NoOrderFits) {
      await expectFinal(tx, chainRef, sent);
      return { purpose: 'loss', purposeId: newId('los_') };
    }
    if (!(error instanceof DomainError)) throw error;
    throw refusal(`${await actionOf(tx, chainRef, sent)} ${error.message}`);
  }
}

function record(
  tx: Tx,
  chainRef: string,
  { sender, fields, signed }: SentTransaction,
  place: { transactionId: string; attempt: number; purpose: TransactionPurpose; purposeId: string },
): Promise<void> {
  const order = movedBy(place.purpose, fields);
  const wallet = { chainRef, addressKey: sender };
  return recordSigned(tx, { ...place, order, wallet, unsigned: fields, signed }, 'adopted');
}

/** What it takes away from the wallet: of a call that is no transfer, the coins that it carries. */
function movedBy(purpose: TransactionPurpose, fields: SentTransaction['fields']): SignedRecord['order'] {
  if (purpose === 'sweep' || purpose === 'contract') return { kind: 'call' };
  const paid = readTransferCall(fields) ?? { token: NATIVE_COIN, amount: fields.value };
  return { kind: 'transfer', token: paid.token, amount: paid.amount };
}

const adoptedOf = ({ id, nonce, purpose, purpose_id: purposeId }: KnownRow, isNew: boolean): Adopted => ({
  transactionId: id,
  nonce: Number(nonce),
  purpose,
  purposeId,
  isNew,
});

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
