import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../../domain/network.js';

/** What can be acknowledged: an intent that was paid with too little or too much, and a deposit that came late. */
export const ACKNOWLEDGED_KINDS = ['payment_intent', 'deposit'] as const;
export type AcknowledgedKind = (typeof ACKNOWLEDGED_KINDS)[number];

const AcknowledgementSchema = defineEntity({
  name: 'Acknowledgement',
  tableName: 'acknowledgement',
  properties: {
    subjectId: p.text().primary(),
    subjectKind: p.text().$type<AcknowledgedKind>(),
    environment: p.text().$type<Environment>(),
    author: p.text(),
    note: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** That staff know of a payment that went other than asked, whose money is in its pocket. Append-only. */
export class Acknowledgement extends AcknowledgementSchema.class {}
AcknowledgementSchema.setClass(Acknowledgement);
