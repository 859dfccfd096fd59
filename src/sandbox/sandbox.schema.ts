import { z } from 'zod';
import { NETWORKS } from '../domain/network.js';
import { bodyOf, safeText } from '../http/request-schema.js';

/** Body of POST /v1/sandbox/payment-intents/:id/pay: without an amount it pays exactly what is missing. */
export const paySandboxBody = bodyOf({
  amount: safeText({ min: 1, max: 100 })
    .optional()
    .meta({ description: 'Decimal amount of the token. Left out: what is still missing.', examples: ['12.5'] }),
  token: safeText({ min: 1, max: 32 })
    .optional()
    .meta({ description: "Symbol of a token of the network, or of its coin. Left out: the intent's own." }),
}).meta({ id: 'PaySandboxIntent' });
export type PaySandboxBody = z.infer<typeof paySandboxBody>;

/** An order to pay: a worker sends the token or coin on the chain right after. */
export const sandboxPaymentSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the order to pay, `ord_...`.' }),
    object: z.literal('sandbox_payment').meta({ description: 'Always `sandbox_payment`.' }),
    payment_intent: z.string().meta({ description: 'The payment intent that is paid, `pi_...`.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain of the payment.' }),
    token: z.string().meta({ description: 'Symbol of the token or coin that is sent.' }),
    amount: z.string().meta({ description: "In the token's smallest unit." }),
    amount_decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
    to: z.string().meta({ description: 'Address that is paid: that of the payment intent.' }),
    status: z.literal('queued').meta({ description: 'Always `queued`: a worker sends the payment right after.' }),
  })
  .meta({ id: 'SandboxPayment' });
export type SandboxPaymentObject = z.infer<typeof sandboxPaymentSchema>;
