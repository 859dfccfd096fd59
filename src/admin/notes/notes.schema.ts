import { z } from 'zod';
import { listPageSchema, LIST_QUERY } from '../../http/pagination.js';
import { bodyOf, queryOf, safeText } from '../../http/request-schema.js';
import { NOTE_SUBJECTS } from '../../notes/note.entity.js';

const TEXT_MAX = 2_000;

const SUBJECT = {
  subject_kind: z.enum(NOTE_SUBJECTS).meta({ description: 'The kind of the object.' }),
  subject_id: safeText({ min: 1, max: 64 }).meta({ description: 'The id of the object.' }),
};

export const listNotesQuery = queryOf({ ...LIST_QUERY, ...SUBJECT });
export type ListNotesQuery = z.infer<typeof listNotesQuery>;

export const newNoteBody = bodyOf({
  ...SUBJECT,
  text: safeText({ min: 1, max: TEXT_MAX }).meta({ description: 'The note, plain text.' }),
}).meta({ id: 'NewNote' });
export type NewNoteBody = z.infer<typeof newNoteBody>;

export const noteSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the note, `note_...`.' }),
    object: z.literal('note').meta({ description: 'Always `note`.' }),
    subject_kind: z.enum(NOTE_SUBJECTS).meta({ description: 'The kind of the object.' }),
    subject_id: z.string().meta({ description: 'The id of the object.' }),
    author: z.string().meta({ description: 'Who wrote it.' }),
    text: z.string().meta({ description: 'The note.' }),
    created_at: z.iso.datetime({ precision: 3 }).meta({ description: 'When it was written.' }),
  })
  .meta({ id: 'Note' });
export type NoteObject = z.infer<typeof noteSchema>;

export const noteListSchema = listPageSchema(noteSchema, 'NoteList');
