import { ENVIRONMENTS, type Environment } from '../domain/network.js';
import { ChainToken } from '../offers/chain-token.entity.js';
import { Chain } from '../offers/chain.entity.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { as } from '../platform/sql/as.js';
import { define, subselect } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { out, table } from '../platform/sql/table.js';
import { PriceSnapshot } from './price-snapshot.entity.js';

const snapshot = table(PriceSnapshot);
const pruned = table(PriceSnapshot, 'pruned');
const chain = table(Chain);
const offering = table(Chain, 'offering');
const token = table(ChainToken);
const intent = table(PaymentIntent);

/** The most seconds between two snapshots. */
interface SnapshotPace {
  readonly usual: number;
  /** When a price is missing. */
  readonly incomplete: number;
}

/** Finds the environments with chains whose newest snapshot is too old, or has no entry for a token on offer. */
export const dueEnvironments = ({ usual, incomplete }: SnapshotPace) => sql`
  select distinct ${out(chain, 'environment')} from ${chain}
   where ${chain.active} and not exists (
     select from ${snapshot}
      where ${snapshot.environment} = ${chain.environment} and ${snapshot.createdAt} > now() - make_interval(secs =>
              case when jsonb_path_exists(${snapshot.prices}, '$.*.price ? (@ == null)') then ${incomplete}::int else ${usual}::int end)
        and not exists (
          select from ${token} join ${offering} on ${offering.id} = ${token.chainRef}
           where ${offering.active} and ${token.enabled} and ${offering.environment} = ${chain.environment}
             and ${snapshot.prices} -> ${token.symbol} is null))`;

/** Deletes old snapshots that no quote refers to. Naming the environments lets the index find the old ones. */
export const deleteOldSnapshots = (age: string, limit: number) => sql`
  delete from ${snapshot} where ${snapshot.id} in (
    select ${pruned.id} from ${pruned} where ${pruned.environment} = any(${ENVIRONMENTS}) and ${pruned.createdAt} < now() - ${age}::interval
       and not exists (select from ${intent} where ${intent.priceRoundId} = ${pruned.id}) limit ${limit})`;

/** Reads the newest snapshot of an environment, with its age. */
export const findNewestSnapshot = (environment: Environment) => sql`
  select ${out(snapshot, 'id', 'prices')}, extract(epoch from clock_timestamp() - ${snapshot.createdAt}) * 1000 ${as.digits('ageMs')}
    from ${snapshot} where ${snapshot.environment} = ${environment} order by ${snapshot.createdAt} desc limit 1`;

const scopes = sql`select distinct ${out(chain, 'environment')} from ${chain} where ${chain.active}`;
const scope = subselect('scope', scopes);
const newestOf = sql`
  select ${out(snapshot, 'createdAt', 'prices')} from ${snapshot}
   where ${snapshot.environment} = ${scope.environment} order by ${snapshot.createdAt} desc limit 1`;
const newest = subselect('newest', newestOf);

/** Reads the newest snapshot of every environment with chains, with its age; null when there is none yet. */
export const newestSnapshots = sql`
  select ${scope.environment.as('environment')}, ${newest.prices.asOrNull('prices')},
         extract(epoch from clock_timestamp() - ${newest.createdAt})::float8 ${as.doubleOrNull('ageSeconds')}
    from ${define(scope)} left join lateral ${define(newest)} on true
   order by ${scope.environment} desc`;

/** Reads the symbols of the tokens on offer in an environment. */
export const tokensOnOffer = (environment: Environment) => sql`
  select distinct ${out(token, 'symbol')} from ${token} join ${chain} on ${chain.id} = ${token.chainRef}
   where ${chain.active} and ${token.enabled} and ${chain.environment} = ${environment} order by ${token.symbol}`;

/** Reads the database's time in milliseconds since 1970. */
export const databaseTime = sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint ${as.digits('ms')}`;
