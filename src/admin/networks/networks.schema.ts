import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { listPageSchema } from '../../http/pagination.js';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

const nodeSchema = z
  .object({
    node: z.string().meta({ description: 'Scheme, host and port of the URL, without its key.' }),
    state: z.enum(['up', 'down', 'foreign']).meta({ description: '`foreign`: it serves another chain.' }),
    latency_ms: z
      .int()
      .nullable()
      .meta({ description: 'Moving average of one request; null before its first answer.' }),
    recent_steps: z.int().meta({ description: 'Its last steps and probes, up to 100.' }),
    recent_failures: z.int().meta({ description: 'How many of them failed.' }),
    last_error: z.string().nullable().meta({ description: 'Why it failed last.' }),
    reported_at: timestamp.meta({ description: 'When the listener reported it.' }),
  })
  .meta({ id: 'NetworkNode' });

export const networkStateSchema = z
  .object({
    id: z.string().meta({ description: 'The chain.' }),
    object: z.literal('network_state'),
    environment: z.enum(ENVIRONMENTS),
    network: z.enum(NETWORKS),
    chain_id: z.string(),
    status: z.enum(['ok', 'degraded', 'disabled']),
    reason: z.string().nullable().meta({ description: 'Why it is not `ok`.' }),
    is_listening: z.boolean().meta({ description: 'Whether some process holds the lease of its listener.' }),
    halted_reason: z.string().nullable().meta({ description: 'Why the listener stopped by itself.' }),
    finality_doubt: z.string().nullable().meta({ description: 'On which final block its nodes disagree.' }),
    paused: z
      .object({ at: timestamp, by: z.string(), reason: z.string() })
      .nullable()
      .meta({ description: 'When, by whom and why staff paused the listener.' }),
    head_height: z.int().meta({ description: 'The newest block that a node has shown.' }),
    height: z.int().meta({ description: 'The newest block whose payments are recorded: the cursor.' }),
    hash: z.string().meta({ description: 'The hash of that block.' }),
    block_time: timestamp.meta({ description: 'The time of that block.' }),
    lag_blocks: z.int(),
    lag_seconds: z.number().meta({ description: 'Since the listener was last in sync with the head.' }),
    synced_at: timestamp,
    finalized_height: z.int().meta({ description: 'Payments up to this block are final.' }),
    confirmations: z.int().meta({ description: 'Blocks that make a payment final at the usual depth.' }),
    last_reorg: z
      .object({ at: timestamp, from_height: z.int(), to_height: z.int() })
      .nullable()
      .meta({ description: 'The last blocks that were replaced before they were final.' }),
    nodes: z
      .array(nodeSchema)
      .meta({ description: 'In the order in which they are tried; as the listener found them.' }),
    commands: z.array(z.string()).meta({ description: 'Commands for what the console cannot do.' }),
  })
  .meta({ id: 'NetworkState' });
export type NetworkStateObject = z.infer<typeof networkStateSchema>;
export const networkStateListSchema = listPageSchema(networkStateSchema, 'NetworkStateList');

export const listenerReasonBody = bodyOf({
  reason: safeText({ min: 1, max: 500 }).meta({ description: 'Why, for the audit log.' }),
}).meta({ id: 'ListenerReason' });
export type ListenerReasonBody = z.infer<typeof listenerReasonBody>;
