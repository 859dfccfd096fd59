import { OPEN_STATUSES } from '../../domain/intent-state.js';
import type { Tenant } from '../../domain/tenant.js';
import { textList } from '../../platform/database/text-list.js';
import { as } from '../../platform/sql/as.js';
import { raw, sql } from '../../platform/sql/sql.js';
import { table } from '../../platform/sql/table.js';
import { PaymentIntent } from './payment-intent.entity.js';

const intent = table(PaymentIntent);

/** Counts the open intents of a tenant that have an address, up to a limit. */
export const countOpenIntents = ({ merchantId, environment }: Tenant, limit: number) => sql`
  select count(*) ${as.digits('open')} from (
    select from ${intent}
     where ${intent.merchantId} = ${merchantId} and ${intent.environment} = ${environment}
       and ${intent.address} is not null and ${intent.status} in ${raw(textList(OPEN_STATUSES))}
     limit ${limit}) as counted`;
