import { raw, sql } from '../../platform/sql/sql.js';
import { as } from '../../platform/sql/as.js';
import { define, subselect } from '../../platform/sql/relation.js';
import { out, table } from '../../platform/sql/table.js';
import { InboxBucket } from './inbox-bucket.entity.js';
import { InboxRequest } from './inbox-request.entity.js';

const request = table(InboxRequest);
/** The token buckets that limit what inboxes take. */
export const inboxBuckets = table(InboxBucket);
/** Requests of an inbox that are kept. */
const KEPT = raw('200');

const newest = (inboxId: string) => sql`
  select ${out(request, 'id')} from ${request} where ${request.inboxId} = ${inboxId} order by ${request.id} desc limit ${KEPT}`;
const kept = subselect('kept', newest);

/** Deletes the requests of an inbox that are older than the newest 200. */
export const pruneRequests = (inboxId: string) => sql`
  delete from ${request}
   where ${request.inboxId} = ${inboxId} and ${request.id} < (select min(${kept.id}) from ${define(kept, inboxId)})`;

/** Finds requests of an inbox, newest first, without their bodies. */
export const requestPage = (inboxId: string, limit: number, after: string | null) => sql`
  select ${out(request, 'id', 'headers', 'answer', 'receivedAt')}, octet_length(${request.body}) ${as.int('bytes')}
    from ${request}
   where ${request.inboxId} = ${inboxId}${after === null ? sql`` : sql` and ${request.id} < ${after}`}
   order by ${request.id} desc limit ${limit}`;
