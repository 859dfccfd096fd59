import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/network.js';
import { queryOf, safeText } from '../../http/request-schema.js';

/** A long mail; an address with a longer one does not fit into a request. */
const TEXT_MAX = 4_000;

export const searchQuery = queryOf({
  q: safeText({ min: 1, max: TEXT_MAX }).meta({
    description: 'An identifier, or a text that contains some, such as a mail.',
  }),
});
export type SearchQuery = z.infer<typeof searchQuery>;

const HIT_KINDS = [
  'payment_intent',
  'withdrawal',
  'event',
  'delivery',
  'webhook_endpoint',
  'pocket',
  'merchant',
  'deposit',
  'api_request',
] as const;
const MATCHES = ['id', 'address', 'transaction_hash', 'reference', 'idempotency_key', 'request_id'] as const;

const hit = z
  .object({
    object: z.literal('search_hit').meta({ description: 'Always `search_hit`.' }),
    kind: z.enum(HIT_KINDS).meta({ description: 'What was found.' }),
    id: z.string().meta({ description: 'Its id.' }),
    environment: z.enum(ENVIRONMENTS).meta({ description: 'Where it is.' }),
    merchant_id: z.string().nullable().meta({ description: 'Its merchant; null for money that belongs to none yet.' }),
    merchant_name: z.string().nullable().meta({ description: 'The name of the merchant.' }),
    state: z.string().nullable().meta({
      description:
        'Its status, what a withdrawal waits for staff to do, the type of an event, or how a request was answered.',
    }),
    amount: z
      .string()
      .nullable()
      .meta({ description: 'Its amount as text, such as `25.00 USD`; null where it has none.' }),
    network: z.string().nullable().meta({ description: 'Its network.' }),
    token: z.string().nullable().meta({ description: 'Its token.' }),
    matches: z
      .array(
        z.object({
          by: z.enum(MATCHES).meta({ description: 'The kind of identifier.' }),
          text: z.string().meta({ description: 'As the text spells it.' }),
        }),
      )
      .meta({ description: 'By what it was found.' }),
    opens: z
      .object({
        page: z
          .enum([
            'intent',
            'withdrawal',
            'delivery',
            'deliveries',
            'endpoint',
            'pocket',
            'merchant',
            'deposit',
            'requests',
            'none',
          ])
          .meta({ description: 'The page of the console that shows it.' }),
        id: z.string().meta({ description: 'The object of that page, or the filter of that list.' }),
      })
      .meta({ description: 'Where it is shown.' }),
    note: z.string().nullable().meta({ description: 'What to know about it before it is opened; usually null.' }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When it was made.' }),
  })
  .meta({ id: 'SearchHit' });
export type SearchHitObject = z.infer<typeof hit>;

/** GET /admin/api/:environment/search. */
export const searchResultSchema = z
  .object({
    object: z.literal('search_result').meta({ description: 'Always `search_result`.' }),
    hits: z.array(hit).meta({ description: 'What the text names in this environment, the best matches first.' }),
    elsewhere: z.array(hit).meta({ description: 'What it names in the other one, if you may see that.' }),
    unknown: z.array(z.string()).meta({ description: 'Identifiers of the text that name nothing.' }),
    sentence: z.string().meta({ description: 'The result in words.' }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResultObject = z.infer<typeof searchResultSchema>;
