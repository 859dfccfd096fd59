import { defineEntity, p } from '@mikro-orm/core';

/** What an inbox answers to webhooks: a status, or nothing until the sender has given up. */
export const INBOX_ANSWERS = ['200', '401', '500', 'timeout'] as const;
export type InboxAnswer = (typeof INBOX_ANSWERS)[number];

const WebhookInboxSchema = defineEntity({
  name: 'WebhookInbox',
  tableName: 'webhook_inbox',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<'sandbox'>(),
    merchantId: p.text(),
    endpointId: p.text(),
    /** The last part of its URL. Ids are not secret; this is. */
    key: p.text(),
    answer: p.text().$type<InboxAnswer>(),
    createdBy: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A receiver of webhooks that the service plays itself, behind an endpoint of a merchant of the sandbox. */
export class WebhookInbox extends WebhookInboxSchema.class {}
WebhookInboxSchema.setClass(WebhookInbox);
