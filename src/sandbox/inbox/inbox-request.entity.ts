import { defineEntity, p } from '@mikro-orm/core';
import type { InboxAnswer } from './webhook-inbox.entity.js';

const InboxRequestSchema = defineEntity({
  name: 'InboxRequest',
  tableName: 'inbox_request',
  properties: {
    id: p.text().primary(),
    inboxId: p.text(),
    headers: p.json().$type<Readonly<Record<string, string>>>(),
    body: p.blob(),
    /** What it was answered. */
    answer: p.text().$type<InboxAnswer>(),
    receivedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** A request that an inbox has received. Only the newest of each inbox are kept. */
export class InboxRequest extends InboxRequestSchema.class {}
InboxRequestSchema.setClass(InboxRequest);
