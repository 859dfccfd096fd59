import type { FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { invalidParam, notFound } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import type { Environment } from '../domain/network.js';
import { type ConsoleActor, recordAction } from '../platform/audit-trail.js';
import { Database, row, type Tx } from '../platform/database/database.js';
import { Note, type NoteSubject } from './note.entity.js';
import { hasSubject } from './notes.sql.js';

/** The object that a note is about. */
export interface NotedSubject {
  readonly environment: Environment;
  readonly kind: NoteSubject;
  readonly id: string;
}

/** A note to write. */
export interface NewNote extends NotedSubject {
  readonly author: ConsoleActor;
  /** At most 2,000 characters. */
  readonly body: string;
}

/** The place in a list of notes. */
export interface NotesPage {
  readonly limit: number;
  readonly after: string | null;
}

/** Writes and lists what staff note about an object. */
@Injectable()
export class Notes {
  constructor(private readonly database: Database) {}

  /** Writes a note and its audit entry. @throws DomainError not_found when the environment has no such object */
  async write(tx: Tx, { environment, kind, id: subjectId, author, body }: NewNote): Promise<Note> {
    const { exists } = await row(tx, hasSubject(environment, kind, subjectId));
    if (!exists) throw notFound('subject');
    const id = newId('note_');
    await tx.insert(Note, { id, environment, subjectKind: kind, subjectId, author: author.actor, body });
    await recordAction(tx, {
      ...author,
      action: 'note.write',
      subject: subjectId,
      reason: null,
      details: { note: id },
    });
    return tx.findOneOrFail(Note, { id });
  }

  /** Returns up to `limit + 1` notes about an object, newest first. */
  async list({ environment, kind, id }: NotedSubject, { limit, after }: NotesPage): Promise<Note[]> {
    const em = this.database.em();
    const about = { environment, subjectKind: kind, subjectId: id } satisfies FilterQuery<Note>;
    const last = after === null ? null : await em.findOne(Note, { ...about, id: after });
    if (after !== null && last === null)
      throw invalidParam('starting_after', 'starting_after is no note on this object.');
    const before =
      last === null
        ? {}
        : ({
            $or: [{ createdAt: { $lt: last.createdAt } }, { createdAt: last.createdAt, id: { $lt: last.id } }],
          } satisfies FilterQuery<Note>);
    return em.find(Note, { ...about, ...before }, { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1 });
  }
}
