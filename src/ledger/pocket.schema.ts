import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../domain/network.js';
import { LIST_QUERY, listPageSchema } from '../http/pagination.js';
import { queryOf } from '../http/request-schema.js';

/** Query of the pocket lists, which are paged and have no filters. */
export const listPocketsQuery = queryOf({ ...LIST_QUERY });
export type ListPocketsQuery = z.infer<typeof listPocketsQuery>;

const minorUnits = z.int().min(0);

/** A merchant's balance in one token on one network. */
export const pocketSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the pocket, `pkt_...`. Opaque.' }),
    object: z.literal('pocket').meta({ description: 'Always `pocket`.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment of the pocket.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain that holds the money.' }),
    token: z.string().meta({ description: 'Symbol of the token or coin that the pocket holds.' }),
    token_decimals: z
      .int()
      .meta({ description: 'Decimals of the token: one token is 10 to this power of its smallest units.' }),
    minor_unit_exponent: z
      .int()
      .meta({ description: "Digits after the point of the *_cents fields: 2 for stablecoins, 8 for a chain's coin." }),
    available_cents: minorUnits.meta({
      description: 'Final money, in minor units of the token, rounded down; shown up to 2^53-1.',
    }),
    pending_cents: minorUnits.meta({ description: 'Seen on chain, not final yet.' }),
    held_cents: minorUnits.meta({ description: 'Held for withdrawals under way.' }),
    available_amount: z.string().regex(/^\d+$/).meta({ description: "In the token's smallest unit." }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When the pocket was created, ISO 8601 in UTC.' }),
  })
  .meta({ id: 'Pocket' });
export type PocketObject = z.infer<typeof pocketSchema>;

/** GET /v1/pockets. */
export const pocketListSchema = listPageSchema(pocketSchema, 'PocketList');

/** The kinds of entries that move a pocket's available balance. */
export const POCKET_ENTRY_KINDS = ['deposit', 'withdrawal', 'withdrawal_refund', 'resolution', 'release'] as const;

/** One booking on a pocket. */
const pocketEntrySchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the entry. Opaque.' }),
    object: z.literal('pocket_entry').meta({ description: 'Always `pocket_entry`.' }),
    kind: z.enum(POCKET_ENTRY_KINDS).meta({
      description:
        '`deposit`: a payment became final. `withdrawal`: amount and fee were set aside for a withdrawal. ' +
        '`withdrawal_refund`: they were returned, because it failed. `resolution`: staff credited a payment that ' +
        'had no intent to credit. `release`: staff released money that was on hold. New values may be added.',
    }),
    reference: z.string().meta({ description: 'The fact behind the booking, such as `deposit:dep_...`.' }),
    payment_intent_id: z
      .string()
      .nullable()
      .meta({ description: 'The intent whose payment was booked; otherwise null.' }),
    withdrawal_id: z
      .string()
      .nullable()
      .meta({ description: 'The withdrawal that was held or refunded; otherwise null.' }),
    amount: z
      .string()
      .regex(/^-?\d+$/)
      .meta({ description: 'In smallest units; negative when it left the available balance.' }),
    amount_decimal: z.string().meta({ description: 'The same amount with its decimal point and sign.' }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When the entry was booked, ISO 8601 in UTC.' }),
  })
  .meta({ id: 'PocketEntry' });
export type PocketEntryObject = z.infer<typeof pocketEntrySchema>;

/** GET /v1/pockets/:id/entries. */
export const pocketEntryListSchema = listPageSchema(pocketEntrySchema, 'PocketEntryList');
