import type { Tenant } from '../../domain/tenant.js';
import { sql } from '../../platform/sql/sql.js';
import { out, table } from '../../platform/sql/table.js';
import { Withdrawal } from '../withdrawal.entity.js';
import { AllowedDestination } from './allowed-destination.entity.js';

const withdrawal = table(Withdrawal);
const allowed = table(AllowedDestination);

/** Reads the destinations between two addresses that a merchant ordered withdrawals to, or allowed. */
export const destinationsBetween = ({ merchantId, environment }: Tenant, from: string, to: string) => sql`
  select ${out(withdrawal, 'destinationKey')} from ${withdrawal}
   where ${withdrawal.merchantId} = ${merchantId} and ${withdrawal.environment} = ${environment}
     and ${withdrawal.destinationKey} between ${from} and ${to}
  union
  select ${out(allowed, 'destinationKey')} from ${allowed}
   where ${allowed.merchantId} = ${merchantId} and ${allowed.environment} = ${environment}
     and ${allowed.destinationKey} between ${from} and ${to}
   order by 1`;
