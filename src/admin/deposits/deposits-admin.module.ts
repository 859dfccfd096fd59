import { Module } from '@nestjs/common';
import { ExplainModule } from '../../explain/explain.module.js';
import { IntentOperationsModule } from '../../payments/intents/intent-operations.module.js';
import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { AcknowledgementsController } from './acknowledgements.controller.js';
import { DecisionsController } from './decisions.controller.js';
import { DepositActionsController } from './deposit-actions.controller.js';
import { DepositsExportController } from './deposits-export.controller.js';
import { DepositsController } from './deposits.controller.js';

/** Deposits, and what waits for a decision, for the console. */
@Module({
  imports: [
    ExplainModule,
    IntentOperationsModule,
    RefundOperationsModule,
    SuspenseOperationsModule,
    UnrecordedMarksModule,
    WithdrawalOperationsModule,
  ],
  controllers: [
    AcknowledgementsController,
    DecisionsController,
    DepositsController,
    DepositsExportController,
    DepositActionsController,
  ],
})
export class DepositsAdminModule {}
