import { z } from 'zod';
import { LIST_QUERY, listPageSchema } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { INBOX_ANSWERS } from '../../sandbox/inbox/webhook-inbox.entity.js';
import { signatureVerdictSchema } from '../endpoints/endpoints.schema.js';

const timestamp = z.iso.datetime({ precision: 3 });
const answer = z.enum(INBOX_ANSWERS).meta({
  description: 'A status, or `timeout`: no answer for 20 s, which is longer than the service waits.',
});

export const createInboxBody = bodyOf({
  merchant_id: safeText({ min: 1, max: 64 })
    .optional()
    .meta({ description: 'Whose events it receives. Left out: those of the only merchant.' }),
}).meta({ id: 'CreateInbox' });
export type CreateInboxBody = z.infer<typeof createInboxBody>;

export const inboxAnswerBody = bodyOf({ answer }).meta({ id: 'SetInboxAnswer' });
export type InboxAnswerBody = z.infer<typeof inboxAnswerBody>;

export const listInboxRequestsQuery = queryOf(LIST_QUERY);
export type ListInboxRequestsQuery = z.infer<typeof listInboxRequestsQuery>;

const inbox = z
  .object({
    id: z.string().meta({ description: 'Identifier of the inbox, `inb_...`.' }),
    object: z.literal('inbox').meta({ description: 'Always `inbox`.' }),
    merchant_id: z.string().meta({ description: 'The merchant whose events it receives.' }),
    merchant_name: z.string().meta({ description: 'The name of the merchant.' }),
    endpoint_id: z.string().meta({ description: 'The endpoint that sends to it, `we_...`.' }),
    answer,
    created_at: timestamp.meta({ description: 'When it was made.' }),
  })
  .meta({ id: 'Inbox' });
export type InboxObject = z.infer<typeof inbox>;
export const inboxListSchema = listPageSchema(inbox, 'InboxList');
export const inboxSchema = inbox;

const request = z
  .object({
    id: z.string().meta({ description: 'Identifier of the request, `inr_...`.' }),
    object: z.literal('inbox_request').meta({ description: 'Always `inbox_request`.' }),
    event_id: z.string().nullable().meta({ description: 'The event that it says it is about.' }),
    answer: answer.meta({ description: 'What it was answered.' }),
    bytes: z.int().meta({ description: 'Length of the body.' }),
    received_at: timestamp.meta({ description: 'When it was received.' }),
  })
  .meta({ id: 'InboxRequest' });
export type InboxRequestObject = z.infer<typeof request>;
export const inboxRequestListSchema = listPageSchema(request, 'InboxRequestList');

export const openedRequestSchema = request
  .extend({
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }).meta({ id: 'InboxHeader' }))
      .meta({ description: 'All headers, in the order of their names.' }),
    body: z.string().meta({ description: 'The body as text.' }),
    signature: signatureVerdictSchema.nullable().meta({
      description:
        'The check of its signature, at the time it was received; null once the endpoint was deleted with its secret.',
    }),
  })
  .meta({ id: 'OpenedInboxRequest' });
export type OpenedRequestObject = z.infer<typeof openedRequestSchema>;
