import { Module } from '@nestjs/common';
import { AuditOperationsModule } from '../../audit-log/audit-operations.module.js';
import { BooksProofModule } from '../../auditor/books-proof.module.js';
import { StaffModule } from '../../staff/staff.module.js';
import { AuditAdminController } from './audit.controller.js';

/** The audit log in the console. */
@Module({ imports: [AuditOperationsModule, BooksProofModule, StaffModule], controllers: [AuditAdminController] })
export class AuditAdminModule {}
