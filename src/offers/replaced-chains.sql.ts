import { OPEN_STATUSES } from '../domain/intent-state.js';
import { PaymentIntent } from '../payments/intents/payment-intent.entity.js';
import { textList } from '../platform/database/text-list.js';
import { all, define, subselect } from '../platform/sql/relation.js';
import { raw, sql, type SqlParameter, type SqlText } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { ChainToken } from './chain-token.entity.js';
import { Chain } from './chain.entity.js';

const replaced = table(Chain, 'replaced');
const successor = table(Chain, 'successor');
const token = table(ChainToken);
const moved = table(PaymentIntent, 'moved');
const intent = table(PaymentIntent);

/** A chain that came back with another genesis keeps its chain id on EVM networks. Elsewhere the genesis is the chain id. */
export const isRestarted = (before: typeof replaced, after: typeof successor): SqlText => sql`
  (${after.chainId} = ${before.chainId} or ${before.family} <> 'evm')`;

/**
 * Pairs of a replaced development chain and the active one that took its place. Its node was killed and started again with
 * another genesis; on any other chain that is refused.
 */
export const successions = sql`
  select ${replaced.id.as('replaced')}, ${successor.id.as('successor')}
    from ${replaced} join ${successor} on ${successor.environment} = ${replaced.environment}
                    and ${successor.network} = ${replaced.network}
   where ${replaced.environment} = 'sandbox' and not ${replaced.active} and ${successor.active}
     and ${isRestarted(replaced, successor)}`;
const succession = subselect('succession', successions);

/** The open sandbox intents of a chain, by the expression of the index payment_intent_of_chain: no other serves it. */
const isOpenOn = (chainRef: SqlText | SqlParameter) => sql`
  (case when ${intent.environment} = 'sandbox' and ${intent.status} in ${raw(textList(OPEN_STATUSES))}
        then ${intent.chainRef} end) = ${chainRef}`;

/** Finds the replaced chains that still have open intents, with their successors. */
export const chainsLeftBehind = sql`
  select ${all(succession)} from ${define(succession)}
   where (select count(*) from ${intent} where ${isOpenOn(succession.replaced)}) > 0`;

/** Moves a batch of intents from a chain to its successor. Intents that are being settled follow in a later run. */
export const moveIntents = (from: string, to: string, limit: number) => sql`
  update ${moved} set ${set(moved, { chainRef: to })}
   where ${moved.id} in (
     select ${intent.id} from ${intent}
       join ${token} on ${token.chainRef} = ${to} and ${token.enabled}
        and (${token.contract}, ${token.decimals}) = (${intent.tokenContract}, ${intent.tokenDecimals})
      where ${isOpenOn(from)} order by ${intent.createdAt} limit ${limit} for no key update of ${intent} skip locked)
  returning ${out(moved, 'id')}`;
