import type { Environment } from '../../domain/network.js';
import { Chain } from '../../offers/chain.entity.js';
import { as } from '../../platform/sql/as.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, table, values } from '../../platform/sql/table.js';
import { Deposit } from '../deposits/deposit.entity.js';
import { PaymentIntent } from './payment-intent.entity.js';
import { isUnusual } from './unusual-intent.sql.js';
import { Acknowledgement, type AcknowledgedKind } from './acknowledgement.entity.js';

const acknowledgement = table(Acknowledgement);
const intent = table(PaymentIntent);
const deposit = table(Deposit);
const chain = table(Chain);

/** Whether staff acknowledged the payment with this id: one look into the index. For `exists`, a plan may read them all. */
export const isAcknowledged = (subjectId: SqlText) => sql`
  ((select true from ${acknowledgement} where ${acknowledgement.subjectId} = ${subjectId}) is not null)`;

/** Finds a payment of an environment, and whether it went other than asked. */
export const findAcknowledged = (environment: Environment, kind: AcknowledgedKind, id: string) =>
  kind === 'payment_intent'
    ? sql`select coalesce(${isUnusual}, false) ${as.boolean('isUnusual')} from ${intent}
           where ${intent.id} = ${id} and ${intent.environment} = ${environment}`
    : sql`select coalesce(${deposit.late}, false) ${as.boolean('isUnusual')}
            from ${deposit} join ${chain} on ${chain.id} = ${deposit.chainRef}
           where ${deposit.id} = ${id} and ${chain.environment} = ${environment}`;

/** Inserts an acknowledgement; returns nothing when the payment has one. */
export const insertAcknowledgement = (
  row: Pick<Acknowledgement, 'subjectId' | 'subjectKind' | 'environment' | 'author' | 'note'>,
) => sql`
  insert into ${acknowledgement} ${values(acknowledgement, row)}
  on conflict ${columns(acknowledgement, 'subjectId')} do nothing returning ${out(acknowledgement, 'subjectId')}`;
