import { z } from 'zod';
import { ADDRESS_FAMILIES, NETWORKS } from '../../domain/network.js';

const pool = z
  .object({
    id: z.enum(ADDRESS_FAMILIES).meta({ description: 'The family whose networks share these addresses.' }),
    networks: z.array(z.enum(NETWORKS)).meta({ description: 'The networks of the family.' }),
    free: z.int(),
    assigned: z.int().meta({ description: 'Given to an intent, permanently.' }),
    paid: z.int().meta({ description: 'With a payment.' }),
    retired: z.int().meta({ description: 'Taken off the pool, never assigned.' }),
    assigned_in_7_days: z.int(),
    target: z.int().meta({ description: 'The vault fills the pool up to it (WALLET_POOL_TARGET of this process).' }),
    low_mark: z.int().meta({ description: 'Below it the vault derives more.' }),
    days_left: z
      .number()
      .nullable()
      .meta({ description: 'How long the free ones last without a vault at the rate of the last 7 days.' }),
  })
  .meta({ id: 'AddressPool' });

export const walletPoolSchema = z
  .object({
    object: z.literal('wallet_pool'),
    pools: z.array(pool).meta({ description: 'One for each address family; counted at most 30 s ago.' }),
    vault: z.enum(['open', 'sealed']).meta({ description: 'Without an open vault no address is derived.' }),
    commands: z.array(z.string()),
  })
  .meta({ id: 'WalletPool' });
export type WalletPoolObject = z.infer<typeof walletPoolSchema>;
