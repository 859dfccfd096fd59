import { Module } from '@nestjs/common';
import { AuditReader } from './audit-reader.service.js';

/** Shows the audit log to staff. */
@Module({ providers: [AuditReader], exports: [AuditReader] })
export class AuditOperationsModule {}
