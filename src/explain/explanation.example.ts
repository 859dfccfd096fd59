import type { ExplanationObject } from './explanation.schema.js';

const verdict = {
  code: 'part_paid',
  sentence: '10 USDC of 25 USDC arrived; still missing: 15 USDC (15.00 USD); time left: 50 minutes.',
  next_action:
    'Ask the customer to send the missing 15 USDC on polygon to 0x8ba1f109551bD432803012645Ac136ddd64DBA72 in time.',
} as const;

/** A customer who has sent too little so far: example of the documentation. */
export const explanationExample: ExplanationObject = {
  object: 'explanation',
  payment_intent_id: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z',
  status: 'processing',
  verdict,
  findings: [
    {
      ...verdict,
      evidence: {
        blockchain_address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
        expires_at: '2026-01-31T13:00:00.000Z',
        crypto_amounts: {
          expected: '25000000',
          expected_decimal: '25',
          received: '10000000',
          received_decimal: '10',
          missing: '15000000',
          missing_decimal: '15',
          surplus: '0',
          surplus_decimal: '0',
        },
        payments: [
          {
            tx_hash: `0x${'5f'.repeat(32)}`,
            from_address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
            network: 'polygon',
            token: 'USDC',
            amount: '10000000',
            amount_decimal: '10',
            status: 'confirmed',
            confirmations: 41,
            required_confirmations: 32,
            block_number: 66000000,
            block_time: '2026-01-31T12:04:08.000Z',
            seen_at: '2026-01-31T12:04:10.000Z',
          },
        ],
      },
    },
  ],
  checked_at: '2026-01-31T12:10:00.000Z',
};
