import { Module } from '@nestjs/common';
import { AuditSealer } from './audit-sealer.service.js';

/** The hash chain over what operators and staff did. */
@Module({ providers: [AuditSealer], exports: [AuditSealer] })
export class AuditLogModule {}
