import { Module } from '@nestjs/common';
import { SanctionsModule } from '../../sanctions/sanctions.module.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { SanctionsController } from './sanctions.controller.js';

/** The sanctions list in the console. */
@Module({ imports: [SanctionsModule, SuspenseOperationsModule], controllers: [SanctionsController] })
export class SanctionsAdminModule {}
