import { defineEntity, p } from '@mikro-orm/core';

/** What a booking is for. */
export type EntryKind = 'deposit';

const EntrySchema = defineEntity({
  name: 'Entry',
  tableName: 'entry',
  properties: {
    id: p.text().primary(),
    reference: p.text(),
    kind: p.text().$type<EntryKind>(),
    contentHash: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** One atomic booking. Its reference is unique, so the same fact books once. */
export class Entry extends EntrySchema.class {}
EntrySchema.setClass(Entry);
