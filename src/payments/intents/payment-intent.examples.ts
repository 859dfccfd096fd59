import type { CreateIntentBody, PaymentIntentObject } from './payment-intent.schema.js';

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const CONTRACT = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';

/** The body that the documentation creates an intent with. */
export const createIntentExample: CreateIntentBody = {
  amount_cents: 2500,
  currency: 'USD',
  settlement_currency: 'USDC',
  network: 'polygon',
  token: 'USDC',
  reference: 'order-1042',
};

const created: PaymentIntentObject = {
  id: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'payment_intent',
  merchant_id: 'mer_01jd2v8w3q4r5s6t7v8w9x0y1z',
  environment: 'sandbox',
  amount_cents: 2500,
  received_amount_cents: 0,
  remaining_amount_cents: 2500,
  overpaid_amount_cents: 0,
  accepted_shortfall_cents: 0,
  currency: 'USD',
  settlement_currency: 'USDC',
  network: 'polygon',
  token: 'USDC',
  token_decimals: null,
  crypto_amount: null,
  crypto_amount_decimal: null,
  received_crypto_amount: '0',
  token_price_cents: null,
  address: null,
  status: 'requires_action',
  failure_code: null,
  reference: 'order-1042',
  metadata: {},
  payments: [],
  payment_uri: null,
  checkout_url: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-01-31T13:00:00.000Z',
  completed_at: null,
};

const addressed: PaymentIntentObject = {
  ...created,
  token_decimals: 6,
  crypto_amount: '25000000',
  crypto_amount_decimal: '25',
  token_price_cents: 100,
  address: ADDRESS,
  metadata: { blockchain_address: ADDRESS },
  payment_uri: `ethereum:${CONTRACT}@137/transfer?address=${ADDRESS}&uint256=25000000`,
  updated_at: '2026-01-31T12:00:01.000Z',
};

const processing: PaymentIntentObject = {
  ...addressed,
  status: 'processing',
  updated_at: '2026-01-31T12:04:10.000Z',
};

const completed: PaymentIntentObject = {
  ...processing,
  status: 'completed',
  received_amount_cents: 2500,
  remaining_amount_cents: 0,
  received_crypto_amount: '25000000',
  payments: [
    {
      id: 'dep_01jd2v8w3q4r5s6t7v8w9x0y1z',
      tx_hash: `0x${'5f'.repeat(32)}`,
      from_address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      amount: '25000000',
      amount_decimal: '25',
      status: 'confirmed',
      confirmations: 41,
      required_confirmations: 32,
      block_number: 66000000,
      seen_at: '2026-01-31T12:04:10.000Z',
      late: false,
    },
  ],
  updated_at: '2026-01-31T12:05:30.000Z',
  completed_at: '2026-01-31T12:05:30.000Z',
};

/** One intent through its life: examples of the documentation. */
export const intentExample = { created, addressed, processing, completed };
