import { z } from 'zod';
import { addressFormOf } from '../../domain/address-form.js';
import { fiatText, formatUnits } from '../../domain/money.js';
import { addressFamilyOf, NATIVE_COIN } from '../../domain/network.js';
import type { Config } from '../../platform/config.js';
import { ApiClient } from '../api-client.js';
import { CommandFailure } from '../command.js';
import type { Cleanup } from './demo-cleanup.js';
import type { Narrator, Note, StepResult } from './demo-narrator.js';
import { DemoReceiver } from './demo-receiver.js';
import { awaitRunningSandbox, findRunningSandbox, startSandbox } from './demo-service.js';
import {
  assertPaid,
  createdEndpoint,
  type DemoIntent,
  type DemoPlan,
  type DemoPocket,
  intentObject,
  pocketBalance,
  untilCompleted,
  untilServed,
  untilWebhook,
} from './demo-steps.js';
import { payOut } from './demo-withdrawal.js';
import type { DemoPayment, DemoWallet } from './demo-wallet.js';
import { walletOf } from './wallet-of-network.js';

/** The place where the demo finds or starts a sandbox. */
type DemoPlace = Pick<Config, 'dataDir' | 'devChains'>;

interface Shop {
  readonly api: ApiClient;
  readonly wallet: DemoWallet;
  /** Contract or mint of the token to pay in; null = the chain's own coin. */
  readonly contract: string | null;
}

/** Plays one payment as merchant and customer, step by step. Rejects when a step fails. */
export async function runDemo(plan: DemoPlan, place: DemoPlace, narrator: Narrator, cleanup: Cleanup): Promise<void> {
  narrator.opening(`Coffer demo: ${dollars(plan.amountCents)} in ${plan.token} on ${plan.network}`);
  const { api, wallet, contract } = await narrator.step('service_ready', (note) =>
    openShop(plan, place, cleanup, note),
  );
  const receiver = await narrator.step('webhook_endpoint', () => registerReceiver(api, cleanup));
  const intent = await narrator.step('intent_created', () => createIntent(api, plan));
  const addressed = await narrator.step('address_assigned', () => assignAddress(api, intent.id, plan));
  const payment = await narrator.step('payment_sent', () => pay(wallet, contract, addressed));
  await narrator.step('intent_completed', async (note) => {
    const completed = await untilCompleted(api, intent.id, note);
    assertPaid(completed, payment.txHash);
    const says = [`completed, ${dollars(completed.received_amount_cents)} received, nothing remaining`];
    return { value: completed, says, facts: { status: completed.status, payments: completed.payments } };
  });
  const pocket = await narrator.step('webhook_verified', () => receiveWebhook(api, receiver, intent.id, plan));
  const paid = BigInt(addressed.crypto_amount ?? 0);
  await payOut({ api, wallet, contract, receiver, pocket, paid }, narrator);
  narrator.closing();
}

async function openShop(plan: DemoPlan, place: DemoPlace, cleanup: Cleanup, note: Note): Promise<StepResult<Shop>> {
  const { dataDir, devChains } = place;
  // Without development chains no sandbox is going to start here.
  const running = await (devChains.length === 0
    ? findRunningSandbox(dataDir)
    : awaitRunningSandbox(dataDir, () => note(`a service on ${dataDir} does not answer yet: waiting for it`)));
  if (running === null && devChains.length === 0) {
    const advice = 'unset DATABASE_URL, or set DEV_CHAINS to the networks to play';
    throw new CommandFailure('The demo pays on development chains, and this configuration has none.', advice);
  }
  if (running === null)
    note(`no service runs on ${dataDir}: starting one for the demo, which takes about 15 s on the first run`);
  const sandbox = running ?? (await startSandbox(dataDir, cleanup));
  const api = new ApiClient(sandbox.api_url, sandbox.api_key);
  const { listener } = await untilServed(api, plan);
  const chain = sandbox.networks[plan.network];
  const token = chain?.tokens[plan.token];
  if (chain === undefined || token === undefined) {
    throw new CommandFailure(`The sandbox has no faucet for ${plan.network}/${plan.token}.`);
  }
  const contract = token.address === NATIVE_COIN ? null : token.address;
  return {
    value: { api, wallet: await walletOf(plan.network, chain), contract },
    says: [`${sandbox.api_url}, ${plan.network} read up to block ${listener.height}`],
    facts: { api_url: sandbox.api_url, started: running === null, listener_height: listener.height },
  };
}

async function registerReceiver(api: ApiClient, cleanup: Cleanup): Promise<StepResult<DemoReceiver>> {
  const receiver = await DemoReceiver.open();
  cleanup.add(() => receiver.close());
  const order = {
    url: receiver.url,
    description: 'npm run demo',
    event_types: ['payment_intent.completed', 'withdrawal.completed'],
  };
  const endpoint = await api.post('/v1/webhook-endpoints', createdEndpoint, order);
  cleanup.add(() => api.delete(`/v1/webhook-endpoints/${endpoint.id}`));
  receiver.trust(endpoint.secret);
  return {
    value: receiver,
    says: [`${endpoint.id}, delivers to ${receiver.url}`],
    facts: { webhook_endpoint_id: endpoint.id, receiver_url: receiver.url },
  };
}

async function createIntent(api: ApiClient, plan: DemoPlan): Promise<StepResult<DemoIntent>> {
  const intent = await api.post('/v1/payment-intents', intentObject, {
    amount_cents: plan.amountCents,
    currency: 'USD',
    network: plan.network,
    token: plan.token,
    reference: 'npm run demo',
  });
  return {
    value: intent,
    says: [`${intent.id}, ${intent.status}`],
    facts: { payment_intent_id: intent.id, status: intent.status },
  };
}

async function assignAddress(
  api: ApiClient,
  id: string,
  { network, token }: DemoPlan,
): Promise<StepResult<DemoIntent>> {
  const intent = await api.post(`/v1/payment-intents/${id}/generate-address`, intentObject);
  const to = addressIn(intent);
  if (addressFormOf(to).family !== addressFamilyOf(network) || intent.crypto_amount === null)
    throw new CommandFailure('The answer has no address or amount.');
  return {
    value: intent,
    says: [`${intent.crypto_amount_decimal} ${token} to ${to}`],
    facts: { address: to, crypto_amount: intent.crypto_amount, crypto_amount_decimal: intent.crypto_amount_decimal },
  };
}

const addressIn = (intent: DemoIntent): string => z.string().parse(intent.metadata.blockchain_address);

async function pay(wallet: DemoWallet, contract: string | null, intent: DemoIntent): Promise<StepResult<DemoPayment>> {
  const to = addressIn(intent);
  const payment = await wallet.pay({ token: contract, to, amount: BigInt(intent.crypto_amount ?? 0) });
  return {
    value: payment,
    says: [`transaction ${payment.txHash}`, `in block ${payment.blockNumber}`],
    facts: { tx_hash: payment.txHash, block_number: payment.blockNumber },
  };
}

async function receiveWebhook(
  api: ApiClient,
  receiver: DemoReceiver,
  intentId: string,
  plan: DemoPlan,
): Promise<StepResult<DemoPocket>> {
  const { event, bytes } = await untilWebhook(receiver, intentId, 'payment_intent.completed');
  const pocket = await pocketBalance(api, plan);
  return {
    value: pocket,
    says: [
      `${event?.event_type} ${event?.id}, ${bytes} bytes, signature valid`,
      `the ${plan.network}/${plan.token} pocket holds ${amountIn(pocket, plan.token)}`,
    ],
    facts: {
      event_id: event?.id,
      event_type: event?.event_type,
      signature: 'valid',
      pocket_available_cents: pocket.available_cents,
      pocket_available_amount: pocket.available_amount,
    },
  };
}

const amountIn = ({ available_amount: units, token_decimals: decimals }: DemoPocket, token: string): string =>
  `${formatUnits(BigInt(units), decimals)} ${token}`;

/** Formats US cents, such as `25.00 USD`. */
const dollars = (cents: number): string => fiatText(BigInt(cents), 'USD');
