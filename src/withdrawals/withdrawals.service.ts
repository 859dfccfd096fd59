import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import { toJsonInteger } from '../domain/money.js';
import { assetOf, transfer } from '../domain/posting.js';
import type { Tenant } from '../domain/tenant.js';
import { type ApiCaller, originOf } from '../http/api-origin.js';
import { newEntry } from '../ledger/new-entry.js';
import { afterCommit, Database, row, rows, type Tx } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import { failpoint } from '../platform/failpoints.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { DatabaseValues, type PlannedStatement, type PlannedWrite } from '../platform/sql/planned-write.js';
import { DestinationAccounts } from './destination-accounts.service.js';
import { type EvaluatedOrder, WithdrawalChecks, type WithdrawalOrder } from './withdrawal-checks.service.js';
import {
  acceptedAt,
  acceptWithdrawal,
  type Hold,
  insertWithdrawal,
  lockPocket,
  type NewWithdrawal,
} from './withdrawals.sql.js';
import { Withdrawal } from './withdrawal.entity.js';
import { presentWithdrawal } from './withdrawal.presenter.js';
import type { CreateWithdrawalBody, WithdrawalObject, WithdrawalPreviewObject } from './withdrawal.schema.js';

/** A withdrawal that passed its checks. */
interface CheckedOrder {
  readonly terms: NewWithdrawal;
  readonly hold: Hold;
}

/**
 * Accepts and previews withdrawals for merchants (spec 4.6). A withdrawal is accepted in one statement, or in a transaction if
 * its pocket has just changed. It holds amount and fee in the pocket, and wakes a worker to simulate the payment. It is signed
 * and sent later; nothing here contacts a chain.
 */
@Injectable()
export class WithdrawalsService {
  constructor(
    private readonly database: Database,
    private readonly checks: WithdrawalChecks,
    private readonly destinations: DestinationAccounts,
    private readonly queue: JobWaker,
  ) {}

  /** Plans to accept a withdrawal. @throws DomainError the first check that fails */
  async plan(caller: ApiCaller, body: CreateWithdrawalBody): Promise<PlannedWrite<WithdrawalObject>> {
    const opensAccount = await this.destinations.opensAccount(caller, body);
    const checked = await this.check(this.database.em(), caller, { ...body, opensAccount });
    failpoint('wd.planned');
    return {
      statement: statementFor(checked),
      inTransaction: (tx) => this.accept(tx, caller, { ...body, opensAccount }),
      committed: () => this.wake(),
    };
  }

  /** Accepts a withdrawal under the lock of its pocket. @throws DomainError as `plan` */
  async accept(tx: Tx, caller: ApiCaller, body: WithdrawalOrder): Promise<WithdrawalObject> {
    await rows(tx, lockPocket(body.pocket_id, caller));
    // Statements of their own, so that they see what the lock had to wait for.
    const { terms, hold } = await this.check(tx, caller, body);
    const accepted = await row(tx, insertWithdrawal(terms, hold));
    afterCommit(tx, () => this.wake());
    return presentWithdrawal(entityOf(tx, Withdrawal, accepted));
  }

  /** Plans a preview, which changes nothing: the fee, and every check that fails. */
  async planPreview(tenant: Tenant, body: CreateWithdrawalBody): Promise<PlannedWrite<WithdrawalPreviewObject>> {
    const opensAccount = await this.destinations.opensAccount(tenant, body);
    return { statement: null, inTransaction: (tx) => this.preview(tx, tenant, { ...body, opensAccount }) };
  }

  private async preview(tx: Tx, tenant: Tenant, body: WithdrawalOrder): Promise<WithdrawalPreviewObject> {
    const { fee, failures } = await this.checks.evaluate(tx, tenant, body);
    return {
      object: 'withdrawal_preview',
      pocket_id: body.pocket_id,
      amount_cents: body.amount_cents,
      network_fee_cents: fee === null ? null : toJsonInteger(fee.cents),
      destination: body.destination,
      fee_strategy: body.fee_strategy,
      would_succeed: failures.length === 0,
      destination_simulated: false,
      failing_checks: failures.map(({ code, message, details }) => ({ code, param: details.param ?? null, message })),
    };
  }

  private async check(em: EntityManager, caller: ApiCaller, body: WithdrawalOrder): Promise<CheckedOrder> {
    const order = await this.checks.evaluate(em, caller, body);
    const [failure] = order.failures;
    if (failure !== undefined) throw failure;
    const terms = termsOf(caller, body, order);
    return { terms, hold: holdOf(terms, order) };
  }

  private wake(): void {
    this.queue.wake('payments.simulate', {});
  }
}

/** The statement decides the time of the withdrawal, so it is presented with placeholders. */
function statementFor({ terms, hold }: CheckedOrder): PlannedStatement<WithdrawalObject> {
  const values = new DatabaseValues();
  const at = values.time(acceptedAt);
  const presented = presentWithdrawal({
    ...terms,
    status: 'broadcasting',
    txHash: null,
    failureCode: null,
    failureMessage: null,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
  });
  return { parts: (condition) => acceptWithdrawal(terms, hold, condition), waits: true, presented, values };
}

function termsOf(
  caller: ApiCaller,
  body: CreateWithdrawalBody,
  { pocket, chainRef, amount, destination, fee }: EvaluatedOrder,
): NewWithdrawal {
  if (chainRef === null || amount === null || destination === null || fee === null) {
    throw new Error(`An order on pocket ${pocket.id} passed its checks, but a part of it is missing.`);
  }
  return {
    id: newId('wd_'),
    merchantId: caller.merchantId,
    environment: caller.environment,
    pocketId: pocket.id,
    chainRef,
    network: pocket.network,
    token: pocket.symbol,
    tokenContract: pocket.contract,
    tokenDecimals: pocket.decimals,
    minorUnitExponent: pocket.minorUnitExponent,
    amountCents: body.amount_cents,
    amount,
    networkFeeCents: toJsonInteger(fee.cents),
    feeAmount: fee.units,
    destination: destination.shown,
    destinationKey: destination.key,
    feeStrategy: body.fee_strategy,
    reference: body.reference ?? null,
    ...originOf(caller),
  };
}

/** The amount and the fee move from the available to the held balance. */
function holdOf({ id, amount, feeAmount }: NewWithdrawal, { pocket }: EvaluatedOrder): Hold {
  const held = amount + feeAmount;
  const entry = newEntry({
    reference: `withdrawal:${id}`,
    kind: 'withdrawal',
    environment: pocket.environment,
    legs: transfer({
      from: pocket.availableAccountId,
      to: pocket.heldAccountId,
      asset: assetOf(pocket.network, pocket.contract),
      amount: held,
    }),
  });
  return { ...entry, amount: held };
}
