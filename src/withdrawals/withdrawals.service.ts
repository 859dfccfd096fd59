import { Injectable } from '@nestjs/common';
import { newId } from '../domain/ids.js';
import { toJsonInteger } from '../domain/money.js';
import { assetOf, transfer } from '../domain/posting.js';
import type { Tenant } from '../domain/tenant.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { afterCommit, row, type Tx } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import { failpoint } from '../platform/failpoints.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { type EvaluatedOrder, WithdrawalChecks } from './withdrawal-checks.service.js';
import { insertWithdrawal, type NewWithdrawal } from './withdrawals.sql.js';
import { Withdrawal } from './withdrawal.entity.js';
import { presentWithdrawal } from './withdrawal.presenter.js';
import type { CreateWithdrawalBody, WithdrawalObject, WithdrawalPreviewObject } from './withdrawal.schema.js';

/** Creates and previews withdrawals for merchants. Every method joins the caller's transaction. */
@Injectable()
export class WithdrawalsService {
  constructor(
    private readonly checks: WithdrawalChecks,
    private readonly ledger: LedgerService,
    private readonly queue: JobWaker,
  ) {}

  /**
   * Accepts a withdrawal (spec 4.6): holds amount and fee in the pocket, and wakes a worker to simulate the payment. It is
   * signed and sent later; nothing here contacts a chain.
   * @throws DomainError the first check that fails
   */
  async create(tx: Tx, tenant: Tenant, body: CreateWithdrawalBody): Promise<WithdrawalObject> {
    const order = await this.checks.evaluate(tx, tenant, body);
    const [failure] = order.failures;
    if (failure !== undefined) throw failure;
    const withdrawal = await insert(tx, tenant, body, order);
    await this.hold(tx, withdrawal, order);
    failpoint('wd.reserved');
    afterCommit(tx, () => this.queue.wake('payments.simulate', {}));
    return presentWithdrawal(withdrawal);
  }

  /** Evaluates an order and changes nothing: the fee, and every check that fails. */
  async preview(tx: Tx, tenant: Tenant, body: CreateWithdrawalBody): Promise<WithdrawalPreviewObject> {
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

  private async hold(tx: Tx, withdrawal: Withdrawal, { pocket }: EvaluatedOrder): Promise<void> {
    const asset = assetOf(pocket.network, pocket.contract);
    const amount = withdrawal.amount + withdrawal.feeAmount;
    await this.ledger.book(tx, {
      reference: `withdrawal:${withdrawal.id}`,
      kind: 'withdrawal',
      environment: pocket.environment,
      legs: transfer({ from: pocket.availableAccountId, to: pocket.heldAccountId, asset, amount }),
    });
  }
}

async function insert(
  tx: Tx,
  tenant: Tenant,
  body: CreateWithdrawalBody,
  { pocket, chainRef, amount, destination, fee }: EvaluatedOrder,
): Promise<Withdrawal> {
  if (chainRef === null || amount === null || destination === null || fee === null) {
    throw new Error(`An order on pocket ${pocket.id} passed its checks, but a part of it is missing.`);
  }
  const terms: NewWithdrawal = {
    id: newId('wd_'),
    merchantId: tenant.merchantId,
    environment: tenant.environment,
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
    destination: destination.checksummed,
    destinationKey: destination.lower,
    feeStrategy: body.fee_strategy,
    reference: body.reference ?? null,
  };
  return entityOf(tx, Withdrawal, await row(tx, insertWithdrawal(terms)));
}
