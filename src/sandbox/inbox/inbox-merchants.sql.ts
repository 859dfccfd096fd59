import { Merchant } from '../../auth/merchant.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { WebhookEndpoint } from '../../webhooks/endpoints/webhook-endpoint.entity.js';
import { WebhookInbox } from './webhook-inbox.entity.js';

const merchant = table(Merchant);
const inbox = table(WebhookInbox, 'inbox');
const endpoint = table(WebhookEndpoint, 'endpoint');

/** Finds the names of merchants. */
export const merchantNames = (ids: readonly string[]) => sql`
  select ${out(merchant, 'id', 'name')} from ${merchant} where ${merchant.id} = any(${ids})`;

/** Finds two merchants, enough to see whether there is only one. */
export const twoMerchants = sql`select ${out(merchant, 'id', 'name')} from ${merchant} order by ${merchant.id} limit 2`;

/** Finds the inbox with this key while its endpoint exists. */
export const openInbox = (key: string) => sql`
  select ${out(inbox, 'id', 'answer')} from ${inbox} join ${endpoint} on ${endpoint.id} = ${inbox.endpointId}
   where ${inbox.key} = ${key} and ${endpoint.deletedAt} is null`;

/** Reads the newest inboxes, those with a deleted endpoint at the end. */
export const newestInboxes = (limit: number) => sql`
  select ${out(inbox, 'id')} from ${inbox} join ${endpoint} on ${endpoint.id} = ${inbox.endpointId}
   order by ${endpoint.deletedAt} is not null, ${inbox.id} desc limit ${limit}`;

/** Counts the inboxes whose endpoint exists. */
export const countInboxes = sql`
  select count(*)::int ${as.int('count')} from ${inbox} join ${endpoint} on ${endpoint.id} = ${inbox.endpointId}
   where ${endpoint.deletedAt} is null`;

/** Waits until no other transaction makes an inbox, so that their number has a limit. */
export const takeInboxTurn = sql`select pg_advisory_xact_lock(hashtextextended('webhook_inbox', 0))`;
