import { Module } from '@nestjs/common';
import { NotesModule } from '../../notes/notes.module.js';
import { NotesController } from './notes.controller.js';

/** Notes for the console. */
@Module({ imports: [NotesModule], controllers: [NotesController] })
export class NotesAdminModule {}
