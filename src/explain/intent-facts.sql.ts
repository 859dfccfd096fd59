import type { AddressFamily, Environment } from '../domain/network.js';
import type { Tenant } from '../domain/tenant.js';
import { Pocket } from '../ledger/pocket.entity.js';
import { ChainBlock } from '../offers/chain-block.entity.js';
import { ChainCursor } from '../offers/chain-cursor.entity.js';
import { PoolAddress } from '../payments/addresses/pool-address.entity.js';
import { Acknowledgement } from '../payments/intents/acknowledgement.entity.js';
import { DirtyIntent } from '../payments/intents/dirty-intent.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { every, out, table } from '../platform/sql/table.js';

const intent = table(PaymentIntent);
const mark = table(DirtyIntent);
const acknowledgement = table(Acknowledgement);
const pocket = table(Pocket);
const cursor = table(ChainCursor);
const block = table(ChainBlock);
const address = table(PoolAddress);

/** The oldest recorded block among so many before the cursor's. */
const pastBlock = (blocks: number) => sql`
  select ${out(block, 'height', 'blockTime')} from ${block}
   where ${block.chainRef} = ${cursor.chainRef} and ${block.height} >= ${cursor.height} - ${blocks}::int
   order by ${block.height} limit 1`;
const past = subselect('past', pastBlock);

/**
 * Finds an intent of a tenant, with the time, its pocket, its quarantine, its acknowledgement, and the pace of its chain
 * over so many blocks.
 */
export const findExplained = (id: string, { merchantId, environment }: Tenant, blocks: number) => sql`
  select ${every(intent)}, clock_timestamp() ${as.time('now')}, ${mark.quarantinedAt.asOrNull('quarantinedAt')},
         ${pocket.id.asOrNull('pocketId')}, ${acknowledgement.author.asOrNull('acknowledgedBy')},
         ${acknowledgement.note.asOrNull('acknowledgedWith')}, ${acknowledgement.createdAt.asOrNull('acknowledgedAt')},
         (extract(epoch from ${cursor.blockTime} - ${past.blockTime}) / nullif(${cursor.height} - ${past.height}, 0))::float8
           ${as.doubleOrNull('secondsPerBlock')}
    from ${intent}
    left join ${acknowledgement} on ${acknowledgement.subjectId} = ${intent.id}
    left join ${mark} on ${mark.intentId} = ${intent.id}
    left join ${pocket} on ${pocket.merchantId} = ${intent.merchantId} and ${pocket.environment} = ${intent.environment}
          and ${pocket.network} = ${intent.network} and ${pocket.tokenContract} = ${intent.tokenContract}
    left join ${cursor} on ${cursor.chainRef} = ${intent.chainRef}
    left join lateral ${define(past, blocks)} on true
   where ${intent.id} = ${id} and ${intent.merchantId} = ${merchantId} and ${intent.environment} = ${environment}`;

/** Reads whether the pool has an address that can be assigned. */
export const hasFreeAddressOf = (environment: Environment, family: AddressFamily) => sql`
  select exists (
    select from ${address}
     where ${address.environment} = ${environment} and ${address.family} = ${family}
       and ${address.intentId} is null and ${address.retiredAt} is null) ${as.boolean('hasFreeAddress')}`;
