import { defineEntity, p } from '@mikro-orm/core';
import { UnitsType } from '../../platform/database/columns.js';

const ApprovalThresholdSchema = defineEntity({
  name: 'ApprovalThreshold',
  tableName: 'approval_threshold',
  properties: {
    pocketId: p.text().primary(),
    amount: p.type(UnitsType),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The most that one withdrawal from a pocket may pay without an approval, in smallest units. */
export class ApprovalThreshold extends ApprovalThresholdSchema.class {}
ApprovalThresholdSchema.setClass(ApprovalThreshold);
