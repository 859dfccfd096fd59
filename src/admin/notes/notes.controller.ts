import { Body, Get, Post, Query } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { type ListPage, listPage } from '../../http/pagination.js';
import { Notes } from '../../notes/notes.service.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentNote } from './notes.presenter.js';
import {
  type ListNotesQuery,
  listNotesQuery,
  type NewNoteBody,
  newNoteBody,
  noteListSchema,
  type NoteObject,
  noteSchema,
} from './notes.schema.js';

const TAG = 'Notes';

/** What staff note about an object. Nothing changes or removes a note. */
@EnvironmentController('notes')
export class NotesController {
  constructor(
    private readonly database: Database,
    private readonly notes: Notes,
  ) {}

  @Get()
  @RequirePermission('intents.read')
  @ApiOperationDocs({
    operationId: 'listNotes',
    summary: 'List the notes on an object',
    tag: TAG,
    success: { description: 'One page, newest first.', schema: noteListSchema },
  })
  async list(
    @CurrentStaff() { environment }: StaffCaller,
    @Query({ schema: listNotesQuery }) query: ListNotesQuery,
  ): Promise<ListPage<NoteObject>> {
    const subject = { environment, kind: query.subject_kind, id: query.subject_id };
    const found = await this.notes.list(subject, { limit: query.limit, after: query.starting_after ?? null });
    return listPage(found.map(presentNote), query.limit);
  }

  @Post()
  @RequirePermission('intents.note')
  @ApiOperationDocs({
    operationId: 'writeNote',
    summary: 'Write a note on an object',
    tag: TAG,
    request: {
      example: {
        subject_kind: 'payment_intent',
        subject_id: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z',
        text: 'Called the shop.',
      },
    },
    success: { status: 201, description: 'The note.', schema: noteSchema },
  })
  async write(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: newNoteBody }) { subject_kind: kind, subject_id: id, text }: NewNoteBody,
  ): Promise<NoteObject> {
    const note = { environment: staff.environment, kind, id, author: actorOf(staff), body: text };
    return presentNote(await this.database.transaction((tx) => this.notes.write(tx, note)));
  }
}
