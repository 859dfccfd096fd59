import { z } from 'zod';
import { NETWORKS } from '../domain/network.js';
import { listPageSchema } from '../http/pagination.js';

/** A network on offer, as GET /v1/networks shows it (api.md 6). */
export const networkSchema = z
  .object({
    id: z.string().meta({ description: 'The network name.' }),
    object: z.literal('network'),
    network: z.enum(NETWORKS),
    chain_id: z.string(),
    status: z.enum(['ok', 'degraded', 'disabled']),
    status_reason: z.string().nullable().meta({ description: 'Why the status is not `ok`; null while it is.' }),
    confirmations: z.int().meta({ description: "Blocks on top of a payment's block that make it final." }),
    listener: z
      .object({ height: z.int(), head_height: z.int(), lag_seconds: z.number() })
      .meta({ description: 'How far the chain is read, and when that was level with its head.' }),
    tokens: z.array(
      z.object({
        token: z.string().meta({ description: 'Symbol, as an intent names it.' }),
        contract: z.string().nullable().meta({ description: "Null for the chain's own coin." }),
        decimals: z.int(),
        minor_unit_exponent: z.int().meta({ description: 'Digits after the point of amounts in pockets.' }),
        enabled: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Network' });
export type NetworkObject = z.infer<typeof networkSchema>;

/** GET /v1/networks. */
export const networkListSchema = listPageSchema(networkSchema, 'NetworkList');
