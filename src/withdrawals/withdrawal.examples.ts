import type { CreateWithdrawalBody, WithdrawalObject, WithdrawalPreviewObject } from './withdrawal.schema.js';

const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The request body of the documentation. */
export const createWithdrawalExample: CreateWithdrawalBody = {
  pocket_id: 'pkt_01jd2v8w3q4r5s6t7v8w9x0y1z',
  amount_cents: 12_500,
  destination: DESTINATION,
  fee_strategy: 'standard',
  reference: 'payout-77',
};

const accepted: WithdrawalObject = {
  id: 'wd_01jd2v8w3q4r5s6t7v8w9x0y1z',
  object: 'withdrawal',
  merchant_id: 'mer_01jd2v8w3q4r5s6t7v8w9x0y1z',
  environment: 'sandbox',
  status: 'broadcasting',
  pocket_id: 'pkt_01jd2v8w3q4r5s6t7v8w9x0y1z',
  network: 'polygon',
  token: 'USDC',
  amount_cents: 12_500,
  network_fee_cents: 1,
  destination: DESTINATION,
  fee_strategy: 'standard',
  tx_hash: null,
  reference: 'payout-77',
  failure_code: null,
  failure_message: null,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  completed_at: null,
};

const completed: WithdrawalObject = {
  ...accepted,
  status: 'completed',
  tx_hash: `0x${'7a'.repeat(32)}`,
  updated_at: '2026-01-31T12:01:20.000Z',
  completed_at: '2026-01-31T12:01:20.000Z',
};

const failed: WithdrawalObject = {
  ...accepted,
  status: 'failed',
  tx_hash: `0x${'7b'.repeat(32)}`,
  failure_code: 'transaction_reverted',
  failure_message: 'The network refused the transfer: the token or the destination does not accept it.',
  updated_at: '2026-01-31T12:01:20.000Z',
};

const preview: WithdrawalPreviewObject = {
  object: 'withdrawal_preview',
  pocket_id: accepted.pocket_id,
  amount_cents: 12_500,
  network_fee_cents: 1,
  destination: DESTINATION,
  fee_strategy: 'standard',
  would_succeed: false,
  destination_simulated: false,
  failing_checks: [
    {
      code: 'insufficient_balance',
      param: 'amount_cents',
      message: 'The pocket has 1 USDC available; the amount and the network fee need 125.01 USDC.',
    },
  ],
};

/** One withdrawal through its life: examples of the documentation. */
export const withdrawalExample = { accepted, completed, failed, preview };
