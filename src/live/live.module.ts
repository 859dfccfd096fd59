import { Module } from '@nestjs/common';
import { LiveStreams } from './live-streams.service.js';

/** What the pages of the console show changes: reports of it. */
@Module({ providers: [LiveStreams], exports: [LiveStreams] })
export class LiveModule {}
