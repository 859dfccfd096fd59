import { Injectable } from '@nestjs/common';
import { DomainError, invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { isTerminal } from '../domain/intent-state.js';
import { formatUnits, parseUnits } from '../domain/money.js';
import type { Tenant } from '../domain/tenant.js';
import { markDirty } from '../payments/intents/dirty-intents.js';
import { IntentReader } from '../payments/intents/intent-reader.service.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import type { PaymentIntentObject } from '../payments/intents/payment-intent.schema.js';
import { isDevelopmentChain } from '../offers/development-chain.js';
import { NetworkViews, type TokenView } from '../offers/network-views.service.js';
import { type Tx, afterCommit, row, rows } from '../platform/database/database.js';
import { entityOf } from '../platform/database/entity-of.js';
import { JobWaker } from '../platform/queue/job-waker.js';
import { expireIntent, lockIntent } from './sandbox-intents.sql.js';
import { SandboxPayment } from './sandbox-payment.entity.js';
import type { PaySandboxBody, SandboxPaymentObject } from './sandbox.schema.js';

/** The operations of a developer on intents of the sandbox. A live key finds nothing here. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly networks: NetworkViews,
    private readonly reader: IntentReader,
    private readonly queue: JobWaker,
  ) {}

  /** Records an order to pay the intent; the worker executes it once, not before a time that the caller may give. */
  async pay(
    tx: Tx,
    tenant: Tenant,
    intentId: string,
    body: PaySandboxBody,
    notBefore: Date | null = null,
  ): Promise<SandboxPaymentObject> {
    const intent = await this.lock(tx, tenant, intentId);
    if (intent.address === null || intent.chainRef === null) {
      throw new DomainError('invalid_state_transition', 'The payment intent has no address yet; generate one first.');
    }
    const token = await this.tokenOf(tx, intent, body.token ?? intent.token);
    const amount = body.amount === undefined ? missing(intent, token) : parseAmount(body.amount, token);
    const id = newId('ord_');
    await tx.insert(SandboxPayment, {
      id,
      intentId: intent.id,
      chainRef: intent.chainRef,
      tokenContract: token.contract,
      toAddress: intent.address,
      amount,
      status: 'queued',
      ...(notBefore !== null && { dueAt: notBefore }),
    });
    if (notBefore === null) afterCommit(tx, () => this.queue.wake('sandbox.pay', { paymentId: id }));
    return {
      id,
      object: 'sandbox_payment',
      payment_intent: intent.id,
      network: intent.network,
      token: token.symbol,
      amount: amount.toString(),
      amount_decimal: formatUnits(amount, token.decimals),
      to: intent.address,
      status: 'queued',
    };
  }

  /** Makes an open intent due now, unless it is due already; the ordinary expiry follows. */
  async expire(tx: Tx, tenant: Tenant, intentId: string): Promise<PaymentIntentObject> {
    const intent = await this.lock(tx, tenant, intentId);
    if (isTerminal(intent.status)) {
      throw new DomainError('invalid_state_transition', `A payment intent that is ${intent.status} cannot expire.`);
    }
    const expired = await row(tx, expireIntent(intent.id));
    await markDirty(tx, [intent.id]);
    afterCommit(tx, () => this.queue.wake('intents.settle', { intentIds: [intent.id] }));
    return this.reader.present(tx, entityOf(tx, PaymentIntent, expired));
  }

  private async lock(tx: Tx, tenant: Tenant, intentId: string): Promise<PaymentIntent> {
    const [found] = tenant.environment === 'sandbox' ? await rows(tx, lockIntent(intentId, tenant.merchantId)) : [];
    if (found === undefined) throw notFound('payment intent');
    return entityOf(tx, PaymentIntent, found);
  }

  private async tokenOf(tx: Tx, intent: PaymentIntent, symbol: string): Promise<TokenView> {
    const view = await this.networks.byRef(intent.chainRef ?? '', tx);
    if (view === null) throw chainReplaced(intent);
    if (!isDevelopmentChain(view)) {
      throw new DomainError(
        'invalid_state_transition',
        `There is no faucet on ${intent.network}: this sandbox is a public testnet. Pay the address from a wallet.`,
      );
    }
    const token = view.tokens.find((candidate) => candidate.symbol === symbol);
    if (token === undefined) throw invalidParam('token', `${intent.network} has no token ${symbol}.`);
    return token;
  }
}

/** An open intent moves to the successor of its chain within seconds; one that has ended stays where it was. */
function chainReplaced(intent: PaymentIntent): DomainError {
  if (isTerminal(intent.status)) {
    return new DomainError(
      'invalid_state_transition',
      `The payment intent is ${intent.status}, and its development chain was replaced.`,
    );
  }
  return new DomainError('network_unavailable', `The development chain of ${intent.network} is starting again.`, {
    retryAfterSeconds: 2,
  });
}

function missing(intent: PaymentIntent, token: TokenView): bigint {
  const left = (intent.cryptoAmount ?? 0n) - intent.receivedCryptoAmount;
  if (token.contract !== intent.tokenContract || left <= 0n) {
    throw invalidParam('amount', 'Nothing is missing: state the amount to pay.');
  }
  return left;
}

function parseAmount(text: string, token: TokenView): bigint {
  const amount = parseUnits(text, token.decimals);
  if (amount === null || amount === 0n) {
    throw invalidParam('amount', `amount must be a decimal above zero with at most ${token.decimals} fraction digits.`);
  }
  return amount;
}
