import { Module } from '@nestjs/common';
import { StaffAccounts } from './staff-accounts.service.js';
import { StaffSessions } from './staff-sessions.service.js';

/** The accounts of staff, for operators. */
@Module({ providers: [StaffAccounts, StaffSessions], exports: [StaffAccounts, StaffSessions] })
export class StaffOperationsModule {}
