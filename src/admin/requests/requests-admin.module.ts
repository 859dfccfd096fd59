import { Module } from '@nestjs/common';
import { RequestLogModule } from '../../request-log/request-log.module.js';
import { RequestsExportController } from './requests-export.controller.js';
import { RequestsController } from './requests.controller.js';

/** The log of API requests in the console. */
@Module({ imports: [RequestLogModule], controllers: [RequestsExportController, RequestsController] })
export class RequestsAdminModule {}
