import type { Note } from '../../notes/note.entity.js';
import type { NoteObject } from './notes.schema.js';

/** A note on an object. */
export const presentNote = (note: Note): NoteObject => ({
  id: note.id,
  object: 'note',
  subject_kind: note.subjectKind,
  subject_id: note.subjectId,
  author: note.author,
  text: note.body,
  created_at: note.createdAt.toISOString(),
});
