import { Module } from '@nestjs/common';
import { RequestOverview } from './request-overview.service.js';
import { RequestPruning } from './request-pruning.service.js';
import { RequestRecorder } from './request-recorder.service.js';

/** The log of API requests. */
@Module({ providers: [RequestRecorder, RequestPruning, RequestOverview], exports: [RequestRecorder, RequestOverview] })
export class RequestLogModule {}
