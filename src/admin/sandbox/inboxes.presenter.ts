import type { RowOf } from '../../platform/sql/sql.js';
import type { requestPage } from '../../sandbox/inbox/inbox-requests.sql.js';
import type { ShownInbox, OpenedRequest } from '../../sandbox/inbox/webhook-inboxes.service.js';
import type { InboxObject, InboxRequestObject, OpenedRequestObject } from './inboxes.schema.js';

export const presentInbox = ({ inbox, merchantName }: ShownInbox): InboxObject => ({
  id: inbox.id,
  object: 'inbox',
  merchant_id: inbox.merchantId,
  merchant_name: merchantName,
  endpoint_id: inbox.endpointId,
  answer: inbox.answer,
  created_at: inbox.createdAt.toISOString(),
});

type Received = Pick<RowOf<ReturnType<typeof requestPage>>, 'id' | 'headers' | 'answer' | 'bytes'> & {
  readonly receivedAt: string | Date;
};

export const presentRequest = ({ id, headers, answer, bytes, receivedAt }: Received): InboxRequestObject => ({
  id,
  object: 'inbox_request',
  event_id: headers['webhook-id'] ?? null,
  answer,
  bytes,
  received_at: new Date(receivedAt).toISOString(),
});

export function presentOpened({ request, signature }: OpenedRequest): OpenedRequestObject {
  const { id, headers, answer, receivedAt, body } = request;
  return {
    ...presentRequest({ id, headers, answer, receivedAt, bytes: body.length }),
    headers: Object.entries(headers)
      .map(([name, value]) => ({ name, value }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    body: Buffer.from(body).toString('utf8'),
    signature: signature && { object: 'signature_check', valid: signature.valid, steps: [...signature.steps] },
  };
}
