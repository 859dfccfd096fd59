import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../domain/network.js';

/** The kinds of objects that staff write notes about. */
export const NOTE_SUBJECTS = ['payment_intent', 'withdrawal', 'pocket', 'delivery', 'webhook_endpoint'] as const;
export type NoteSubject = (typeof NOTE_SUBJECTS)[number];

const NoteSchema = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: {
    id: p.text().primary(),
    environment: p.text().$type<Environment>(),
    subjectKind: p.text().$type<NoteSubject>(),
    subjectId: p.text(),
    author: p.text(),
    body: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** What a member of staff wrote about an object. Append-only. */
export class Note extends NoteSchema.class {}
NoteSchema.setClass(Note);
