import { Body, Post } from '@nestjs/common';
import { ApiErrors, ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { Acknowledgements } from '../../payments/intents/acknowledgements.service.js';
import { Database } from '../../platform/database/database.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { EnvironmentController } from '../environment-controller.js';
import {
  type AcknowledgeBody,
  acknowledgeBody,
  type AcknowledgedObject,
  acknowledgedSchema,
} from './deposits.schema.js';

/** What staff know of payments that went other than asked, whose money is in its pocket. */
@EnvironmentController('acknowledgements')
export class AcknowledgementsController {
  constructor(
    private readonly database: Database,
    private readonly acknowledgements: Acknowledgements,
  ) {}

  @Post()
  @RequirePermission('payments.acknowledge')
  @ApiErrors('invalid_state_transition')
  @ApiOperationDocs({
    operationId: 'acknowledgePayment',
    summary: 'Acknowledge a payment that went other than asked',
    description: 'It leaves the queue. Nothing is booked: its money is in the pocket already.',
    tag: 'Decisions',
    request: {
      example: {
        kind: 'payment_intent',
        id: 'pi_01jqzk8v6m3n5p7r9t1w2x4y6z',
        note: 'The shop returns the difference.',
      },
    },
    success: { status: 201, description: 'It is acknowledged.', schema: acknowledgedSchema },
  })
  async acknowledge(
    @CurrentStaff() staff: StaffCaller,
    @Body({ schema: acknowledgeBody }) { kind, id, note }: AcknowledgeBody,
  ): Promise<AcknowledgedObject> {
    const { environment } = staff;
    const author = actorOf(staff);
    await this.database.transaction((tx) =>
      this.acknowledgements.acknowledge(tx, { environment, kind, id, author, note }),
    );
    return { object: 'acknowledgement', kind, id };
  }
}
