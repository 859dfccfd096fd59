import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../../platform/database/columns.js';

const WithdrawalApprovalSchema = defineEntity({
  name: 'WithdrawalApproval',
  tableName: 'withdrawal_approval',
  properties: {
    withdrawalId: p.text().primary(),
    chainRef: p.text(),
    tokenContract: p.text(),
    amount: p.type(UnitsType),
    destinationKey: p.text(),
    orderedBy: p.text().strictNullable(),
    approvedBy: p.text(),
    approvedAt: p.datetime(3).defaultRaw('clock_timestamp()'),
  },
});

/**
 * An operator's approval of these terms of a withdrawal. Append-only; written together with its audit entry. `orderedBy` is
 * the member of staff who issued the API key of the order in the console; it is another one than `approvedBy`.
 */
export class WithdrawalApproval extends WithdrawalApprovalSchema.class {}
WithdrawalApprovalSchema.setClass(WithdrawalApproval);
