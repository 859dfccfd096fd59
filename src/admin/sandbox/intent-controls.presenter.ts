import { formatUnits } from '../../domain/money.js';
import type { IntentControls } from '../../sandbox/controls/sandbox-controls.service.js';
import type { IntentControlsObject } from './intent-controls.schema.js';

/** The controls of an intent, and the payments that were ordered. */
export function presentControls({ intent, controls, tokens, orders }: IntentControls): IntentControlsObject {
  return {
    object: 'intent_controls',
    payment_intent_id: intent.id,
    network: intent.network,
    token: intent.token,
    tokens: [...tokens],
    controls: controls.map(({ name, amount, unavailable }) => ({
      name,
      amount_decimal: amount === null ? null : formatUnits(amount, intent.tokenDecimals ?? 0),
      unavailable,
    })),
    orders: orders.map(({ id, symbol, decimals, amount, status, failure, txHash, createdAt }) => ({
      id,
      token: symbol,
      amount_decimal: formatUnits(BigInt(amount), decimals),
      status,
      failure,
      transaction_hash: txHash,
      created_at: new Date(createdAt).toISOString(),
    })),
  };
}
