import type { BlockHeader } from '../chains/chain.js';
import type { TokenProfile } from '../chains/networks.js';
import type { Environment, Network } from '../domain/network.js';
import { Deposit } from '../payments/deposits/deposit.entity.js';
import { DirtyIntent } from '../payments/intents/dirty-intent.entity.js';
import { given, unnest } from '../platform/sql/given.js';
import { cte, define } from '../platform/sql/relation.js';
import { sql } from '../platform/sql/sql.js';
import { columns, out, set, table, values } from '../platform/sql/table.js';
import { ChainBlock } from './chain-block.entity.js';
import { ChainCursor } from './chain-cursor.entity.js';
import { ChainToken } from './chain-token.entity.js';
import { Chain } from './chain.entity.js';

const chain = table(Chain);
const cursor = table(ChainCursor);
const block = table(ChainBlock);
const token = table(ChainToken);
const deposit = table(Deposit);
const mark = table(DirtyIntent);
const listed = given('listed', {
  contract: 'text',
  symbol: 'text',
  decimals: 'int',
  minorUnitExponent: 'int',
  disabledReason: 'text',
  minimumAmount: 'numeric',
});

/** A place for a chain: one is active there. */
interface ChainPlace {
  readonly environment: Environment;
  readonly network: Network;
}

/** A listed token, with the reason for which it is not on offer. */
interface ListedToken extends Pick<TokenProfile, 'contract' | 'symbol' | 'decimals' | 'minorUnitExponent'> {
  readonly disabledReason: string | null;
  /** Until it is sampled. */
  readonly minimumAmount: bigint | null;
}

/**
 * Waits until no other process registers a chain there. Not a lock on rows: at a first start there is none yet, and several
 * processes may register the chain at once.
 */
export const takeRegistrationTurn = ({ environment, network }: ChainPlace) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`chain:${environment}:${network}`}, 0))`;

/** Makes a chain inactive. */
export const retireChain = (chainRef: string) => sql`
  update ${chain} set ${set(chain, { active: false })} where ${chain.id} = ${chainRef}`;

/** Locks the cursor of a chain. Writers of deposits lock it too, so none is added meanwhile. */
export const lockCursor = (chainRef: string) => sql`
  select from ${cursor} where ${cursor.chainRef} = ${chainRef} for update`;

/** Marks the intents of a chain's deposits that are not final. */
export const markSeen = (chainRef: string) => sql`
  insert into ${mark} ${columns(mark, 'intentId')}
  select distinct ${deposit.intentId} from ${deposit}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen' and ${deposit.intentId} is not null
   order by ${deposit.intentId}
  on conflict ${columns(mark, 'intentId')} do update
     set ${set(mark, { markedAt: sql`now()`, quarantinedAt: null, failures: 0 })}`;

/** Orphans the deposits of a chain that are not final. */
export const orphanSeen = (chainRef: string) => sql`
  update ${deposit} set ${set(deposit, { status: 'orphaned' })}
   where ${deposit.chainRef} = ${chainRef} and ${deposit.status} = 'seen'`;

/** Sets the cursor of a chain back to its final block if that is recorded, and deletes the blocks after it. */
export function setBackToFinal(chainRef: string) {
  const { height, hash, blockTime } = block;
  const back = cte(
    'back',
    sql`update ${cursor} set ${set(cursor, { height, hash, blockTime })} from ${block}
         where ${cursor.chainRef} = ${chainRef} and ${block.chainRef} = ${chainRef}
           and ${block.height} = ${cursor.finalizedHeight}
        returning ${out(cursor, 'height')}`,
  );
  return sql`
    with ${define(back)}
    delete from ${block} using ${back} where ${block.chainRef} = ${chainRef} and ${block.height} > ${back.height}`;
}

/** What identifies a chain, and how it is read. */
type NewChain = Pick<
  Chain,
  'id' | 'environment' | 'network' | 'family' | 'chainId' | 'genesisHash' | 'confirmations' | 'quietGraceMs'
>;

/** Writes a chain, which is active from now on. */
export function activateChain(of: NewChain) {
  const { confirmations, quietGraceMs } = table(Chain, 'excluded');
  return sql`
    insert into ${chain} ${values(chain, { ...of, active: true })}
    on conflict ${columns(chain, 'id')} do update set ${set(chain, { confirmations, quietGraceMs, active: true })}`;
}

/** Disables all tokens of a chain. */
export const disableTokens = (chainRef: string, disabledReason: string) => sql`
  update ${token} set ${set(token, { enabled: false, disabledReason })} where ${token.chainRef} = ${chainRef}`;

/** Puts listed tokens on offer, except those with a reason against it, and returns which are on offer. */
export function writeTokens(chainRef: string, tokens: readonly ListedToken[]) {
  const excluded = table(ChainToken, 'excluded');
  // A wrong exponent settles an intent for dust: what the books count in must be what the catalogue lists.
  const hasSameUnits = sql`(${token.decimals}, ${token.minorUnitExponent}) = (${excluded.decimals}, ${excluded.minorUnitExponent})`;
  return sql`
    insert into ${token}
      ${columns(token, 'chainRef', 'contract', 'symbol', 'decimals', 'minorUnitExponent', 'enabled', 'disabledReason', 'minimumAmount')}
    select ${chainRef}, ${listed.contract}, ${listed.symbol}, ${listed.decimals}, ${listed.minorUnitExponent},
           ${listed.disabledReason} is null, ${listed.disabledReason}, ${listed.minimumAmount}
      from ${unnest(listed, tokens)}
    on conflict ${columns(token, 'chainRef', 'contract')} do update
       set ${set(token, {
         symbol: excluded.symbol,
         enabled: sql`${excluded.enabled} and ${hasSameUnits}`,
         disabledReason: sql`
           case when ${hasSameUnits} then ${excluded.disabledReason}
             else format('registered with %s decimals and minor unit exponent %s, listed with %s and %s',
               ${token.decimals}, ${token.minorUnitExponent}, ${excluded.decimals}, ${excluded.minorUnitExponent}) end`,
       })}
    returning ${out(token, 'contract', 'enabled')}`;
}

/** Records the block at which the reading of a chain begins, unless the chain has a cursor. */
export const insertStart = (chainRef: string, { height, hash, parentHash, time }: BlockHeader) => sql`
  insert into ${block} ${columns(block, 'chainRef', 'height', 'hash', 'parentHash', 'blockTime')}
  select ${chainRef}, ${height}, ${hash}, ${parentHash}, ${time}
   where not exists (select from ${cursor} where ${cursor.chainRef} = ${chainRef})
  on conflict do nothing`;

/** Puts a cursor there, unless the chain has one. */
export const insertCursor = (chainRef: string, { height, hash, time }: BlockHeader) => sql`
  insert into ${cursor} ${values(cursor, {
    chainRef,
    height,
    hash,
    blockTime: time,
    headHeight: height,
    finalizedHeight: height,
    syncedAt: sql`now()`,
    epoch: 0,
  })}
  on conflict ${columns(cursor, 'chainRef')} do nothing`;
