import { Injectable } from '@nestjs/common';
import { DomainError, notFound } from '../../domain/errors.js';
import { newId } from '../../domain/ids.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { recordAction } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import type { SignedVersion } from '../../treasury/transactions/signable-transaction.js';
import type { ExpiringChain } from '../../treasury/treasury-chains.service.js';
import { recordSigned } from '../../treasury/vault-records.js';
import { lockWallet } from '../../treasury/wallets/locked-wallet.js';
import type { Adopted, AdoptionOrder } from '../adoption.service.js';
import { type KnownTransaction, knownAs } from '../known-transactions.js';
import { findWallet, useNonce } from '../transactions.sql.js';
import { type AdoptedPurpose, adoptedPurpose, type OwnedSent } from './adopted-purpose.js';
import { takeAdoptionTurn } from './adoption-turn.sql.js';
import { type DeadRival, deadRivals, freeOrder } from './freed-orders.js';
import { type ProvenSent, provenSent } from './proven-sent.js';
import { ownSent } from './own-sent.js';
import { changesOf, sentenceOf } from './sent-sentence.js';
import { TokenAmounts } from './token-amounts.js';

/** An unrecorded transaction, with the transactions that are signed here for the same and are never mined. */
interface Newcomer {
  readonly sent: OwnedSent;
  readonly rivals: readonly DeadRival[];
}

/**
 * Adopts transactions that a hot wallet sent before the database was restored to an older state, on a chain whose transactions
 * expire. Only final ones are adopted: one that is not may still expire. They get the next numbers of the wallet, and the
 * confirmer finds their outcome, as for every other transaction.
 */
@Injectable()
export class ExpiringAdoption {
  constructor(private readonly database: Database) {}

  /**
   * Adopts transactions. Asks the nodes first, and then records everything in one transaction, as the signer does. Returns them
   * in the order of their blocks. A repetition changes nothing.
   * @throws DomainError not_found, invalid_state_transition; ChainUnavailable
   */
  async adopt(chain: ExpiringChain, order: AdoptionOrder): Promise<readonly Adopted[]> {
    const { chainRef } = chain;
    const em = this.database.em();
    const amounts = await TokenAmounts.read(em, chainRef);
    const hotWallet = await this.walletOf(chainRef);
    const newcomers: Newcomer[] = [];
    for (const txHash of order.txHashes) {
      if ((await knownAs(em, chainRef, txHash)) !== null) continue;
      const proven = await provenSent(chain, txHash, amounts.contracts);
      const sent = { ...proven, bytes: ownSent(proven.bytes, hotWallet), hotWallet };
      const rivals = order.supersede ? await deadRivals(this.database, chain, sent.bytes) : [];
      newcomers.push({ sent, rivals });
    }
    newcomers.sort((one, other) => one.sent.final.height - other.sent.final.height);
    return this.database.transaction(async (tx) => {
      // Of two operators at once the later one finds the transaction recorded.
      await rows(tx, takeAdoptionTurn(chainRef));
      const adopted: Adopted[] = [];
      for (const txHash of order.txHashes) {
        const known = await knownAs(tx, chainRef, txHash);
        if (known !== null) adopted.push(adoptedOf(known, false));
      }
      for (const newcomer of newcomers) {
        if ((await knownAs(tx, chainRef, newcomer.sent.bytes.txHash)) !== null) continue;
        adopted.push(await this.record(tx, chainRef, newcomer, { order, amounts }));
      }
      return adopted.toSorted((one, other) => one.nonce - other.nonce);
    });
  }

  private async walletOf(chainRef: string): Promise<string> {
    const [wallet] = await this.database.rows(findWallet(chainRef));
    if (wallet === undefined) throw notFound('hot wallet');
    return wallet.addressKey;
  }

  private async record(
    tx: Tx,
    chainRef: string,
    { sent, rivals }: Newcomer,
    { order, amounts }: { readonly order: AdoptionOrder; readonly amounts: TokenAmounts },
  ): Promise<Adopted> {
    const { bytes, final, hotWallet } = sent;
    const { sender, txHash } = bytes;
    for (const rival of rivals) await freeOrder(tx, chainRef, rival, order);
    const sentence = sentenceOf(bytes.action, amounts);
    const purposed = await adoptedPurpose(tx, chainRef, sent, order).catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      const message = `${sentence} ${error.message}`;
      throw error instanceof NoOrderFits ? new NoOrderFits(message) : refusal(message);
    });
    // The signer locks the wallet after the orders as well.
    const wallet = await lockWallet(tx, chainRef);
    if (wallet === null) throw notFound('hot wallet');
    const { purpose, purposeId } = purposed;
    const transactionId = newId('ctx_');
    const version = versionOf(sent, purposed, wallet.nextNonce);
    const place = { transactionId, attempt: 1, purpose, purposeId, order: purposed.order };
    await recordSigned(tx, [{ ...place, wallet: { chainRef, addressKey: sender }, version }], 'adopted');
    await rows(tx, useNonce(chainRef));
    const { actor, reason } = order;
    const moved = `${sentence} It changed the hot wallet by: ${changesOf(hotWallet, final, amounts)}.`;
    const details: Record<string, string> = { chain: chainRef, hash: txHash, transaction: transactionId };
    if (purpose === 'loss') details['loss'] = moved;
    await recordAction(tx, { actor, reason, action: 'transaction.adopt', subject: purposeId, details });
    return { transactionId, nonce: wallet.nextNonce, purpose, purposeId, isNew: true };
  }
}

/** Returns the transaction as it is stored: the most that it could cost is what it has cost. */
function versionOf({ bytes }: ProvenSent, { order, destination, cost }: AdoptedPurpose, nonce: number): SignedVersion {
  const { txHash, raw, fields, unitLimit, unitPrice, expiry } = bytes;
  return {
    txHash,
    raw,
    fields,
    nonce,
    destination,
    value: coinsIn(order),
    data: '',
    gasLimit: unitLimit,
    maxFeePerGas: unitPrice,
    maxPriorityFeePerGas: unitPrice,
    expiry: {
      afterHeight: expiry.after.height,
      afterHash: expiry.after.hash,
      until: expiry.until,
      costMax: cost > 0n ? cost : 1n,
    },
  };
}

/** The coins that can no longer be paid with: a stake has them too. */
function coinsIn(order: AdoptedPurpose['order']): bigint {
  if (order.kind === 'stake') return order.move === 'stake' ? order.amount : 0n;
  return order.kind === 'transfer' && order.token === NATIVE_COIN ? order.amount : 0n;
}

const adoptedOf = ({ id, nonce, purpose, purposeId }: KnownTransaction, isNew: boolean): Adopted => ({
  transactionId: id,
  nonce,
  purpose,
  purposeId,
  isNew,
});

const refusal = (message: string): DomainError => new DomainError('invalid_state_transition', message);
