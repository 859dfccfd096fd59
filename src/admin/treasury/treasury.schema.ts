import { z } from 'zod';
import { NETWORKS } from '../../domain/network.js';
import { amountSchema } from '../amount.js';
import { timestamp } from '../deliveries/deliveries.schema.js';

const network = z.enum(NETWORKS);
const commands = z.array(z.string()).meta({ description: 'Commands for what the console cannot do.' });

const holding = z
  .object({
    token: z.string(),
    amount: amountSchema.nullable().meta({ description: 'At the newest final block; null before it was read.' }),
    spendable: amountSchema.nullable().meta({ description: 'The part that no outgoing transaction has promised.' }),
    coming: amountSchema.meta({ description: 'Expected from open sweeps.' }),
  })
  .meta({ id: 'WalletHolding' });

const wallet = z
  .object({
    id: z.string().meta({ description: 'Its chain.' }),
    network,
    address: z.string(),
    frozen_reason: z.string().nullable().meta({ description: 'A frozen wallet signs nothing.' }),
    gas_payments: z.int().nullable().meta({
      description: 'Token payments whose network fee it can pay now; null while balance or fees are unknown.',
    }),
    gas_payments_is_more: z.boolean().meta({ description: 'Whether it can pay for `gas_payments` or more.' }),
    is_low_on_gas: z.boolean(),
    holdings: z.array(holding),
    commands,
  })
  .meta({ id: 'StaffHotWallet' });

const comparison = z
  .object({
    id: z.string(),
    network,
    token: z.string(),
    on_chain: amountSchema.meta({ description: 'At the block of the last snapshot.' }),
    in_books: amountSchema.nullable().meta({ description: 'At the last comparison; null before it.' }),
    missing: amountSchema.meta({ description: 'What the wallet held less than the books said.' }),
    height: z.int(),
    compared_at: timestamp.nullable(),
    commands,
  })
  .meta({ id: 'WalletComparison' });

const topUp = z
  .object({
    id: z.string(),
    network,
    token: z.string(),
    amount_decimal: z.string(),
    up_to_block: z.int(),
    found_at: timestamp,
  })
  .meta({ id: 'StaffTopUp' });

const sweep = z
  .object({
    id: z.string(),
    network,
    reason: z.string(),
    items: z.int(),
    age_seconds: z.int(),
    standing: z.string().meta({ description: 'Why it waits, as a phrase.' }),
  })
  .meta({ id: 'StaffSweep' });

const setAside = z
  .object({
    id: z.string(),
    network,
    token: z.string(),
    amount_decimal: z.string(),
    address: z.string(),
    reason: z.string(),
    command: z.string().nullable().meta({ description: 'Sweeps it again; null where no command takes its address.' }),
  })
  .meta({ id: 'SetAsideBalance' });

const stake = z
  .object({
    id: z.string(),
    move: z.enum(['stake', 'unstake', 'withdraw']),
    amount: amountSchema.meta({ description: 'TRX; 0 for the order withdraw.' }),
    succeeded: z.boolean().nullable().meta({ description: 'Null while it is open.' }),
    standing: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'StaffStakeOrder' });

const writeOff = z
  .object({ id: z.string(), network, token: z.string(), amount: amountSchema, height: z.int(), booked_at: timestamp })
  .meta({ id: 'StaffWriteOff' });

export const treasurySchema = z
  .object({
    object: z.literal('treasury'),
    wallets: z.array(wallet).meta({ description: 'The hot wallets with their balances as last read.' }),
    comparisons: z.array(comparison).meta({ description: 'Each token of a hot wallet against the books.' }),
    write_offs: z.array(writeOff).meta({ description: 'The newest ten.' }),
    top_ups: z.array(topUp).meta({ description: 'The newest ten.' }),
    sweeps: z.array(sweep).meta({ description: 'Those that are not final, the oldest first; 50 at most.' }),
    set_aside: z
      .array(setAside)
      .meta({ description: 'Balances that are not swept before somebody retries; 50 at most.' }),
    stakes: z.array(stake).meta({ description: 'The newest orders that change a stake.' }),
    stake_commands: commands,
  })
  .meta({ id: 'Treasury' });
export type TreasuryObject = z.infer<typeof treasurySchema>;
