import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '../../domain/network.js';

/** The longest time for which a destination stays new: a year. The table checks the same number. */
export const NEW_DESTINATION_HOURS_MAX = 8_760;

const WithdrawalPolicySchema = defineEntity({
  name: 'WithdrawalPolicy',
  tableName: 'withdrawal_policy',
  properties: {
    merchantId: p.text().primary(),
    environment: p.text().primary().$type<Environment>(),
    frozenReason: p.text().strictNullable(),
    dailyCount: p.integer().strictNullable(),
    allowListOnly: p.boolean().default(false),
    newDestinationHours: p.integer().strictNullable(),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

/** The rules that the vault checks before it signs for a merchant. No row means no limit. */
export class WithdrawalPolicy extends WithdrawalPolicySchema.class {}
WithdrawalPolicySchema.setClass(WithdrawalPolicy);
