import { z } from 'zod';
import { formatUnits } from '../../domain/money.js';
import type { ApiClient } from '../api-client.js';
import { CommandFailure } from '../command.js';
import type { Narrator, Note, StepResult } from './demo-narrator.js';
import type { DemoReceiver } from './demo-receiver.js';
import { type DemoPocket, untilWebhook } from './demo-steps.js';
import type { DemoWallet } from './demo-wallet.js';
import { poll } from '../poll.js';

const COMPLETED_WITHIN_MS = 120_000;
const POLL_MS = 250;

const withdrawalObject = z.object({
  id: z.string(),
  status: z.string(),
  amount_cents: z.number(),
  network_fee_cents: z.number(),
  destination: z.string(),
  tx_hash: z.string().nullable(),
  failure_message: z.string().nullable(),
});
type DemoWithdrawal = z.infer<typeof withdrawalObject>;

/** The funds to pay out, and the means to do it. */
export interface PayOut {
  readonly api: ApiClient;
  readonly wallet: DemoWallet;
  /** Contract or mint of the token; null = the chain's own coin. */
  readonly contract: string | null;
  readonly receiver: DemoReceiver;
  readonly pocket: DemoPocket;
  /** The amount that the customer paid, in smallest units. */
  readonly paid: bigint;
}

/** Withdraws half of the payment to an external address, step by step. Rejects when a step fails. */
export async function payOut(order: PayOut, narrator: Narrator): Promise<void> {
  const { api, receiver } = order;
  const withdrawal = await narrator.step('withdrawal_ordered', () => orderWithdrawal(order));
  await narrator.step('withdrawal_completed', (note) => untilPaid(order, withdrawal, note));
  await narrator.step('withdrawal_webhook', async () => {
    const { event, bytes } = await untilWebhook(receiver, withdrawal.id, 'withdrawal.completed');
    const left = await api.get(`/v1/pockets/${order.pocket.id}`, z.object({ available_amount: z.string() }));
    const amount = asText(order.pocket, BigInt(left.available_amount));
    return {
      value: null,
      says: [`${event?.event_type} ${event?.id}, ${bytes} bytes, signature valid`, `the pocket holds ${amount}`],
      facts: { event_id: event?.id, event_type: event?.event_type, signature: 'valid', ...left },
    };
  });
}

async function orderWithdrawal({ api, wallet, pocket, paid }: PayOut): Promise<StepResult<DemoWithdrawal>> {
  const minorUnits = (paid * 10n ** BigInt(pocket.minor_unit_exponent)) / 10n ** BigInt(pocket.token_decimals);
  const withdrawal = await api.post('/v1/withdrawals', withdrawalObject, {
    pocket_id: pocket.id,
    amount_cents: Number(minorUnits / 2n),
    destination: await wallet.newAddress(),
    reference: 'npm run demo',
  });
  const { id, status, destination, network_fee_cents: fee } = withdrawal;
  return {
    value: withdrawal,
    says: [
      `${id}, ${status}`,
      `${asText(pocket, unitsOf(pocket, withdrawal.amount_cents))} to ${destination}, ` +
        `network fee ${asText(pocket, unitsOf(pocket, fee))}`,
    ],
    facts: { withdrawal_id: id, status, destination, network_fee_cents: fee },
  };
}

async function untilPaid(
  { api, wallet, contract, pocket }: PayOut,
  { id, destination, amount_cents: amount }: DemoWithdrawal,
  note: Note,
): Promise<StepResult<null>> {
  let said = '';
  const completed = await poll(
    async () => {
      const now = await api.get(`/v1/withdrawals/${id}`, withdrawalObject);
      const progress = now.tx_hash === null ? `${now.status}, not sent yet` : `${now.status}, sent as ${now.tx_hash}`;
      if (progress !== said) note(progress);
      said = progress;
      if (now.status === 'failed') throw new CommandFailure(`The withdrawal failed: ${now.failure_message}`);
      return now.status === 'completed' ? now : null;
    },
    { everyMs: POLL_MS, withinMs: COMPLETED_WITHIN_MS },
  );
  if (completed === null) {
    const seconds = COMPLETED_WITHIN_MS / 1000;
    throw new CommandFailure(`Not completed after ${seconds} s: ${said}.`, 'npx coffer doctor shows what is wrong');
  }
  const held = await wallet.balanceOf(contract, destination);
  if (held !== unitsOf(pocket, amount)) {
    throw new CommandFailure(
      `${destination} holds ${asText(pocket, held)} on the chain, which is not the amount of the withdrawal.`,
    );
  }
  return {
    value: null,
    says: [`completed; the destination holds ${asText(pocket, held)} on the chain`],
    facts: { tx_hash: completed.tx_hash, received: held.toString() },
  };
}

const unitsOf = ({ token_decimals: decimals, minor_unit_exponent: exponent }: DemoPocket, cents: number): bigint =>
  (BigInt(cents) * 10n ** BigInt(decimals)) / 10n ** BigInt(exponent);

const asText = ({ token, token_decimals: decimals }: DemoPocket, units: bigint): string =>
  `${formatUnits(units, decimals)} ${token}`;
