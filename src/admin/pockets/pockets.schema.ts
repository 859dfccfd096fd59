import { z } from 'zod';
import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import { listPageSchema } from '../../http/pagination.js';

const units = z.string().regex(/^\d+$/);
const timestamp = z.iso.datetime({ precision: 3 });

const amount = (what: string) =>
  z
    .object({
      units: units.meta({ description: "In the token's smallest unit." }),
      decimal: z.string().meta({ description: 'The same amount with its decimal point.' }),
    })
    .meta({ description: what });

/** A pocket as staff see it. */
const staffPocketSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the pocket, `pkt_...`.' }),
    object: z.literal('pocket').meta({ description: 'Always `pocket`.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Environment of the pocket.' }),
    merchant_id: z.string().meta({ description: 'The merchant that owns it.' }),
    merchant_name: z.string().meta({ description: 'The name of the merchant.' }),
    network: z.enum(NETWORKS).meta({ description: 'Chain that holds the money.' }),
    token: z.string().meta({ description: 'Symbol of the token or coin.' }),
    token_decimals: z.int().meta({ description: 'Decimals of the token.' }),
    available: amount('Final money that a withdrawal can take.'),
    held: amount('Held for withdrawals under way.'),
    pending: amount('Seen on chain, not final yet.'),
    created_at: timestamp.meta({ description: 'When the pocket was created.' }),
  })
  .meta({ id: 'StaffPocket' });
export type StaffPocketObject = z.infer<typeof staffPocketSchema>;

export const staffPocketListSchema = listPageSchema(staffPocketSchema, 'StaffPocketList');

const proof = z
  .object({
    scope: z
      .enum(['everything', 'new_entries'])
      .meta({ description: 'All rows, or what is new since the audit before.' }),
    finished_at: timestamp.meta({ description: 'When the audit ended.' }),
    broken_rules: z.array(z.string()).meta({
      description: 'Rules that rows of this environment break, or rows that an audit counts without naming them.',
    }),
    about_this_pocket: z.array(z.string()).meta({ description: 'Findings that name this pocket.' }),
  })
  .meta({ id: 'BooksProof' });

export const staffPocketDetailSchema = staffPocketSchema
  .extend({ proofs: z.array(proof).meta({ description: 'The last audits of the books, of each scope that has run.' }) })
  .meta({ id: 'StaffPocketDetail' });
export type StaffPocketDetailObject = z.infer<typeof staffPocketDetailSchema>;
