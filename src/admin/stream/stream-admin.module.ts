import { Module } from '@nestjs/common';
import { LiveModule } from '../../live/live.module.js';
import { StreamController } from './stream.controller.js';

/** The stream of changes for the console. */
@Module({ imports: [LiveModule], controllers: [StreamController] })
export class StreamAdminModule {}
