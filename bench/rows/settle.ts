import { Client } from 'pg';
import type { SettleOrder } from '../bare-settlement.ts';
import { type Child, startChild } from '../child.ts';
import { newId } from '../compiled.ts';
import { compare, type Comparison, inTurns } from '../duel.ts';
import { insertPaidIntents } from '../paid-intents.ts';
import type { Figure } from '../report.ts';
import { checkSameSettlement, type Settled } from '../same-settlement.ts';
import type { Stage } from '../stage.ts';
import { untilNone } from '../until-none.ts';

const RATIO_MIN = 0.7;
const NETWORK = 'polygon';
/** As many as the service settles in one transaction. */
const TOGETHER = 25;
/** How exactly the end is seen. */
const POLL_MS = 20;
/** The number of merchants, because postings of one pocket wait for each other. */
const MERCHANTS = 100;
/** The locks under which the service relays and seals. */
const TURNS = [`hashtextextended('coffer:events.relay', 0)`, `hashtextextended('coffer:ledger.seal', 0)`];

/**
 * Measures intents per second from a final deposit to `completed`, with pocket and events, against bare transactions of as many
 * intents, and of one each.
 */
export async function measureSettle(
  stage: Stage,
  { pairs, intents }: { pairs: number; intents: number },
): Promise<Figure> {
  const merchantIds = Array.from({ length: MERCHANTS }, () => newId('mer_'));
  await stage.query(`insert into merchant (id, name) select id, 'Bench' from unnest($1::text[]) id`, [merchantIds]);
  const bare = startChild('bare-settlement.ts', stage.databaseUrl);
  const byService = (count: number): Promise<Settled> => settleByService(stage, merchantIds, count);
  const byBare = (count: number, together: number): Promise<Settled> =>
    settleByBare(stage, bare, merchantIds, { count, together });
  // Otherwise autovacuum would clean up after earlier rows during this one.
  await stage.query('vacuum analyze');
  await stage.query('checkpoint');
  try {
    await checkSameSettlement(stage, byService, (count) => byBare(count, 1));
    const beside = async (together: number): Promise<Comparison> => {
      const results = await inTurns(
        pairs,
        () => byService(intents),
        () => byBare(intents, together),
      );
      return compare(results.map(([ours, theirs]) => [ours.perSecond, theirs.perSecond]));
    };
    const { one, other, ratio } = await beside(TOGETHER);
    const { ratio: toOneEach } = await beside(1);
    const rates = `${one.toFixed(0)}/s : ${other.toFixed(0)}/s`;
    return {
      name: 'settle, final deposit to completed',
      measured: `${ratio.toFixed(2)} of bare pg (${rates}), ${toOneEach.toFixed(2)} of one transaction for each`,
      limit: `>= ${RATIO_MIN}`,
      isMet: ratio >= RATIO_MIN,
    };
  } finally {
    await bare.end();
  }
}

/** Measures from when the listener makes the deposits final, at its next step, until the last intent has completed. */
async function settleByService(stage: Stage, merchantIds: readonly string[], count: number): Promise<Settled> {
  const ids = await insertPaidIntents(stage, { merchantIds, network: NETWORK, count, status: 'seen' });
  const unsettled = `select from payment_intent where id = any($1) and status <> 'completed' limit 1`;
  await untilNone(stage, unsettled, [ids], { pollMs: POLL_MS });
  const [took] = await stage.query<{ seconds: string }>(
    `select extract(epoch from clock_timestamp() - min(confirmed_at)) as seconds from deposit where intent_id = any($1)`,
    [ids],
  );
  // Otherwise the remaining events and seals would be written in the other side's turn.
  await untilNone(stage, `select from event where sequence is null limit 1`);
  await untilNone(stage, `select from unsealed_entry limit 1`);
  return { ids, perSecond: count / Number(took?.seconds) };
}

async function settleByBare(
  stage: Stage,
  bare: Child,
  merchantIds: readonly string[],
  { count, together }: { readonly count: number; readonly together: number },
): Promise<Settled> {
  const listener = await blockListener(stage);
  const ids = await insertPaidIntents(stage, { merchantIds, network: NETWORK, count, status: 'seen' });
  // Blocks the service's relay and seals in this turn; then their work is deleted.
  await stage.query(`select ${TURNS.map((turn) => `pg_advisory_lock(${turn})`).join(', ')}`);
  bare.send({ intentIds: ids, together, ...listener.reach } satisfies SettleOrder);
  const perSecond = await bare.next<number>();
  await listener.unblock();
  await stage.query('begin');
  await stage.query(`set local session_replication_role = 'replica'`);
  await stage.query('delete from event where sequence is null');
  await stage.query('delete from unsealed_entry');
  await stage.query('commit');
  await stage.query(`select ${TURNS.map((turn) => `pg_advisory_unlock(${turn})`).join(', ')}`);
  return { ids, perSecond };
}

interface BlockedListener {
  /** The chain, and the last final block that its listener has read. */
  readonly reach: Pick<SettleOrder, 'chainRef' | 'finalizedHeight'>;
  unblock(): Promise<void>;
}

/** Locks the cursor of the chain, so that the service's listener makes no deposit final. */
async function blockListener(stage: Stage): Promise<BlockedListener> {
  const client = new Client({ connectionString: stage.databaseUrl });
  await client.connect();
  await client.query('begin');
  const { rows } = await client.query<{ chainRef: string; height: string }>(
    `select cursor.chain_ref as "chainRef", cursor.finalized_height as height
       from chain_cursor cursor join chain on chain.id = cursor.chain_ref
      where chain.active and chain.environment = 'sandbox' and chain.network = $1 for update of cursor`,
    [NETWORK],
  );
  const [cursor] = rows;
  if (cursor === undefined) throw new Error(`No listener reads ${NETWORK}.`);
  return {
    reach: { chainRef: cursor.chainRef, finalizedHeight: Number(cursor.height) },
    unblock: () => client.end(),
  };
}
