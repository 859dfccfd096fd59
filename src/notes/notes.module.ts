import { Module } from '@nestjs/common';
import { Notes } from './notes.service.js';

/** Notes of staff. */
@Module({ providers: [Notes], exports: [Notes] })
export class NotesModule {}
