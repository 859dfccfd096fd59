import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import type { IntentStatus } from '../domain/intent-state.js';
import { assetOf, transfer } from '../domain/posting.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { isTransient, SettlementService } from '../payments/intents/settlement.service.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { recordAction, type StaffOrder } from '../platform/audit-trail.js';
import { rows, type Tx } from '../platform/database/database.js';
import { inSavepoint } from '../platform/database/savepoint.js';
import { expectNoUnrecordedPayment, type InformedOrder } from '../treasury/transactions/unrecorded-payments.js';
import { findMerchant, setHolding } from './deposit-decisions.sql.js';
import { decided, notFrozen, notInSuspense, notOnChain } from './deposit-refusals.js';
import { type LockedDeposit, lockDeposit, moneyText } from './locked-deposit.js';

/** The recipient of unattributed money: a pocket, or the merchant's pocket in the deposit's token. */
export type Recipient = { readonly pocketId: string } | { readonly merchantId: string };

/** The result of a decision of staff. */
export interface Decided {
  /** The amount in words, such as `25 USDC on polygon (sandbox)`. */
  readonly money: string;
  /** The intent that the deposit is for, after the decision; null when it is unattributed. */
  readonly intent: DecidedIntent | null;
}

interface DecidedIntent {
  readonly id: string;
  readonly status: IntentStatus;
  /** Why it could not be settled with the decision; null when it was. A worker tries it again. */
  readonly problem: string | null;
}

/** The result of a decision that moved the money. */
export interface Given extends Decided {
  /** Null when it is in suspense now. */
  readonly pocketId: string | null;
}

type RecipientPocket = Readonly<Pick<Pocket, 'id' | 'merchantId' | 'availableAccountId'>>;

/** Decisions of staff about unattributed and frozen deposits. Each is booked and audited in one transaction. */
@Injectable()
export class DepositOperations {
  constructor(
    private readonly ledger: LedgerService,
    private readonly pockets: PocketsService,
    private readonly settlement: SettlementService,
  ) {}

  /**
   * Moves a deposit from suspense to a merchant's pocket, once. Refused while an unrecorded payment may have paid it out.
   * @throws DomainError not_found; invalid_request when it is not that pocket's money; invalid_state_transition
   */
  async resolve(tx: Tx, id: string, to: Recipient, { unknown, ...order }: InformedOrder): Promise<Given> {
    const deposit = await lockDeposit(tx, id);
    if (deposit.heldAs !== 'suspense') throw await notInSuspense(tx, deposit);
    if (deposit.isReorged) throw notOnChain();
    await expectNoUnrecordedPayment(tx, deposit.chainRef, unknown);
    const pocket =
      'pocketId' in to ? await fittingPocket(tx, deposit, to.pocketId) : await this.ofMerchant(tx, deposit, to);
    if (deposit.ownerId !== null && deposit.ownerId !== pocket.merchantId) {
      throw invalidParam(
        'pocketId' in to ? 'pocket_id' : 'merchant_id',
        `Its address was given to ${deposit.ownerId}, and the pocket is ${pocket.merchantId}'s.`,
      );
    }
    const { asset, amount, environment } = deposit;
    await this.ledger.book(tx, {
      reference: `resolution:${id}`,
      kind: 'resolution',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'suspense', environment, asset),
        to: pocket.availableAccountId,
        asset,
        amount,
      }),
    });
    await rows(tx, setHolding(id, null));
    await recordAction(tx, { ...order, action: 'deposit.resolve', subject: id, details: { pocket: pocket.id } });
    return { money: moneyText(deposit), pocketId: pocket.id, intent: null };
  }

  /**
   * Releases a frozen deposit to its intent's merchant, or to suspense when it is unattributed. An open intent counts it
   * from the time it was seen; pocket, intent and event change in this one transaction. Without the settlement there is no
   * event of the payment, so a settlement that fails undoes the release.
   * @throws DomainError not_found; invalid_state_transition, also when the intent cannot be settled
   */
  async release(tx: Tx, id: string, order: StaffOrder): Promise<Given> {
    const deposit = await lockDeposit(tx, id);
    const { asset, amount, environment, ownerId, intentId, heldAs } = deposit;
    if (heldAs !== 'frozen' && heldAs !== 'kept') throw await notFrozen(tx, deposit);
    if (deposit.isReorged) throw notOnChain();
    const pocket = intentId === null ? null : await this.ofMerchant(tx, deposit, { merchantId: ownerId ?? '' });
    const into = pocket?.availableAccountId ?? (await systemAccount(tx, 'suspense', environment, asset));
    await this.ledger.book(tx, {
      reference: `release:${id}`,
      kind: 'release',
      environment,
      legs: transfer({
        from: await systemAccount(tx, 'frozen', environment, asset),
        to: into,
        asset,
        amount,
      }),
    });
    await rows(tx, setHolding(id, pocket === null ? 'suspense' : null));
    const details = { to: pocket?.id ?? 'suspense', was: heldAs };
    await recordAction(tx, { ...order, action: 'deposit.release', subject: id, details });
    const intent = intentId === null ? null : await this.settled(tx, intentId, [id]);
    if (intent !== null && intent.problem !== null) throw notReleased(intent.id, intent.problem);
    return { money: moneyText(deposit), pocketId: pocket?.id ?? null, intent };
  }

  /**
   * Keeps a frozen deposit: it no longer waits for a decision, and no intent waits for it. It may still be released. The
   * decision is valid even if the intent cannot be settled with it.
   * @throws DomainError not_found, invalid_state_transition
   */
  async keep(tx: Tx, id: string, order: StaffOrder): Promise<Decided> {
    const deposit = await lockDeposit(tx, id);
    if (deposit.heldAs === 'kept') throw await decided(tx, id, 'It is kept already');
    if (deposit.heldAs !== 'frozen') throw await notFrozen(tx, deposit);
    await rows(tx, setHolding(id, 'kept'));
    await recordAction(tx, { ...order, action: 'deposit.keep', subject: id });
    const intent = deposit.intentId === null ? null : await this.settled(tx, deposit.intentId, []);
    return { money: moneyText(deposit), intent };
  }

  /** Settles the intent after the decision. A settlement that fails changes nothing and leaves the intent marked. */
  private async settled(tx: Tx, id: string, releasedIds: readonly string[]): Promise<DecidedIntent> {
    let problem: string | null = null;
    try {
      await inSavepoint(tx, () => this.settlement.settleIn(tx, [id], releasedIds));
    } catch (error) {
      if (isTransient(error)) throw error;
      problem = error instanceof Error ? error.message : 'unknown';
    }
    const { status } = await tx.findOneOrFail(PaymentIntent, { id }, { fields: ['status'], disableIdentityMap: true });
    return { id, status, problem };
  }

  private async ofMerchant(
    tx: Tx,
    deposit: LockedDeposit,
    { merchantId }: { merchantId: string },
  ): Promise<RecipientPocket> {
    const [merchant] = await rows(tx, findMerchant(merchantId));
    if (merchant === undefined) throw notFound('merchant');
    const tenant = { merchantId, environment: deposit.environment };
    const { availableAccountId } = await this.pockets.depositAccounts(tx, tenant, deposit.token);
    const { id } = await tx.findOneOrFail(Pocket, { availableAccountId }, { fields: ['id'], disableIdentityMap: true });
    return { id, merchantId, availableAccountId };
  }
}

/** Returns the pocket. @throws DomainError when it is for another token, network or environment */
async function fittingPocket(tx: Tx, deposit: LockedDeposit, pocketId: string): Promise<RecipientPocket> {
  const pocket = await tx.findOne(Pocket, { id: pocketId }, { disableIdentityMap: true });
  if (pocket === null) throw notFound('pocket');
  const { id, merchantId, environment, network, token, tokenContract, availableAccountId } = pocket;
  const isSameCoin = assetOf(network, tokenContract) === deposit.asset;
  if (environment !== deposit.environment || !isSameCoin) {
    const holds = `${token} (${tokenContract}) on ${network} (${environment})`;
    throw invalidParam('pocket_id', `The pocket holds ${holds}, and the deposit is of ${coinText(deposit)}.`);
  }
  return { id, merchantId, availableAccountId };
}

const coinText = ({ token, network, environment }: LockedDeposit): string =>
  `${token.symbol} (${token.contract}) on ${network} (${environment})`;

const notReleased = (intentId: string, problem: string): DomainError =>
  new DomainError(
    'invalid_state_transition',
    `Nothing was changed: payment intent ${intentId} could not be settled (${problem}). See npx coffer intent ` +
      'quarantined, mend the cause, then release the deposit again.',
  );
