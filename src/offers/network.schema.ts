import { z } from 'zod';
import { NETWORKS } from '../domain/network.js';
import { listPageSchema } from '../http/pagination.js';

/** A network on offer, as GET /v1/networks shows it. */
const networkSchema = z
  .object({
    id: z.string().meta({ description: 'The network name.' }),
    object: z.literal('network').meta({ description: 'Always `network`.' }),
    network: z.enum(NETWORKS).meta({ description: 'The network name, as requests use it. The same as `id`.' }),
    chain_id: z.string().meta({
      description:
        'Identifier of the chain itself: on EVM chains the chain id in decimal digits, elsewhere the hash of its first block.',
    }),
    status: z.enum(['ok', 'degraded', 'disabled']).meta({
      description: '`ok`; `degraded`: payments show or become final late; `disabled`: no payment can be started.',
    }),
    status_reason: z.string().nullable().meta({ description: 'Why the status is not `ok`; null while it is.' }),
    confirmations: z.int().meta({ description: "Blocks on top of a payment's block that make it final." }),
    listener: z
      .object({
        height: z.int().meta({ description: 'Height of the last block that was read.' }),
        head_height: z.int().meta({ description: "Height of the chain's newest block." }),
        lag_seconds: z.number().meta({ description: 'Seconds since the service had last read all of the chain.' }),
      })
      .meta({ description: 'How far the chain is read, and when that was last in sync with its head.' }),
    tokens: z
      .array(
        z.object({
          token: z.string().meta({ description: 'Symbol, as an intent names it.' }),
          contract: z
            .string()
            .nullable()
            .meta({ description: "Contract of the token. Null for the chain's own coin." }),
          decimals: z
            .int()
            .meta({ description: 'Decimals of the token: one token is 10 to this power of its smallest units.' }),
          minor_unit_exponent: z.int().meta({ description: 'Digits after the point of amounts in pockets.' }),
          minimum_amount: z
            .string()
            .nullable()
            .meta({
              description:
                'Smallest payment to an address without funds, in the smallest unit: on solana an account must hold the ' +
                'rent of its data, and a smaller payment fails on the chain. Null where there is none.',
            }),
          enabled: z.boolean().meta({ description: 'Whether new payment intents and withdrawals can name the token.' }),
        }),
      )
      .meta({ description: 'Tokens of the network, those on offer first.' }),
  })
  .meta({ id: 'Network' });
export type NetworkObject = z.infer<typeof networkSchema>;

/** GET /v1/networks. */
export const networkListSchema = listPageSchema(networkSchema, 'NetworkList');
