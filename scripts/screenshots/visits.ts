import { type ConsolePage, type PageName, PAGES } from '../../admin-ui/src/app/route-table.ts';

/** A page to take pictures of. */
export interface Visit {
  /** Of its picture: the page, and the state of what it shows. */
  readonly name: string;
  readonly path: string;
  readonly access: ConsolePage['access'];
}

/** A page whose address has an id. */
type DetailPage = {
  [Name in PageName]: (typeof PAGES)[Name]['path'] extends `${string}$id` ? Name : never;
}[PageName];

/** Finds what a page of details is looked at with: each statement returns one `id`, or none where the month has none. */
export const DETAILS: Readonly<Record<DetailPage, Readonly<Record<string, string>>>> = {
  delivery: {
    'dead-letter': `select id from delivery where status = 'dead_letter' order by id desc limit 1`,
    delivered: `select id from delivery where status = 'delivered' order by id desc limit 1`,
    held: `select id from delivery where status = 'held' order by id desc limit 1`,
  },
  replayJob: { finished: 'select id from replay_job order by id desc limit 1' },
  endpoint: {
    failing: `select endpoint_id as id from delivery where status = 'dead_letter' group by endpoint_id order by count(*) desc limit 1`,
    disabled: 'select id from webhook_endpoint where not enabled order by id limit 1',
  },
  deposit: {
    'another-token': `select id from deposit where unattributed_reason = 'other_token' order by id desc limit 1`,
    'on-hold': `select id from deposit where listed_sender_id is not null order by id desc limit 1`,
    refunded: `select id from deposit where held_as = 'returning' order by id limit 1`,
  },
  intent: {
    completed: `select id from payment_intent where status = 'completed' order by id desc limit 1`,
    'paid-too-little': `select id from payment_intent where received_crypto_amount > 0
      and received_crypto_amount < crypto_amount and status = 'failed' order by id desc limit 1`,
    abandoned: `select id from payment_intent where status = 'expired' and received_crypto_amount = 0 order by id desc limit 1`,
    'on-hold': `select a.intent_id as id from deposit d join pool_address a on a.id = d.address_id
      where d.listed_sender_id is not null order by d.id desc limit 1`,
    noted: `select subject_id as id from note where subject_kind = 'payment_intent' order by id desc limit 1`,
  },
  pocket: {
    busy: `select p.id from pocket p where exists (select from withdrawal w where w.pocket_id = p.id) order by p.id limit 1`,
  },
  withdrawal: {
    waiting: `select id from withdrawal where status = 'broadcasting' order by id limit 1`,
    completed: `select id from withdrawal where status = 'completed' order by id desc limit 1`,
    failed: `select id from withdrawal where status = 'failed' order by id limit 1`,
  },
  inbox: { filled: 'select id from webhook_inbox order by id limit 1' },
  merchant: { restricted: 'select merchant_id as id from withdrawal group by 1 order by count(*) desc limit 1' },
};

/** What a page without an id needs in its address. */
const QUERIES: Readonly<Partial<Record<PageName, string>>> = {
  search: `select '?q=' || reference as id from payment_intent where status = 'completed' order by id limit 1`,
};

/** Returns the id that a statement finds, or null. */
export type FindId = (statement: string) => Promise<string | null>;

/** Every page of the console, with a month behind it. Pages of what the month does not have are named in `missing`. */
export async function visitsOf(
  findId: FindId,
): Promise<{ readonly visits: readonly Visit[]; readonly missing: readonly string[] }> {
  const visits: Visit[] = [];
  const missing: string[] = [];
  for (const [name, { path, access }] of Object.entries<ConsolePage>(PAGES)) {
    const place = `/admin${path.replace('$environment', 'sandbox')}`;
    const details = Object.entries(isDetail(name) ? DETAILS[name] : {});
    for (const [state, statement] of details) {
      const id = await findId(statement);
      if (id === null) missing.push(`${name}-${state}`);
      else visits.push({ name: `${name}-${state}`, path: place.replace('$id', id), access });
    }
    if (details.length > 0) continue;
    const query = isPage(name) ? QUERIES[name] : undefined;
    visits.push({ name, path: place + ((query === undefined ? null : await findId(query)) ?? ''), access });
  }
  return { visits, missing };
}

const isPage = (name: string): name is PageName => name in PAGES;
const isDetail = (name: string): name is DetailPage => name in DETAILS;
