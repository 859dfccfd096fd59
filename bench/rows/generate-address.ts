import { newId } from '../compiled.ts';
import { CONNECTIONS, duel, duelText, type Slice } from '../duel.ts';
import type { Figure } from '../report.ts';
import { checkSameWrites } from '../same-statements.ts';
import type { Stage } from '../stage.ts';

const RATIO_MIN = 0.5;
/** Far above the indexes that the vault derives, so that the rows never collide. */
const FIRST_INDEX = 1_000_000;

/** Measures the throughput of generate-address from a filled pool, compared with the bare server. */
export async function measureGenerateAddress(
  stage: Stage,
  { pairs, requests }: { pairs: number; requests: number },
): Promise<Figure> {
  await checkSameWrites(stage, 'generate-address', async () => {
    const { paths } = await freshIntents(stage, 1);
    return { path: paths[0] ?? '', apiKey: stage.service.apiKey, body: '{}' };
  });
  const next = () => freshIntents(stage, requests);
  const best = await duel(stage, pairs, next);
  const inTransaction = await duel(stage, pairs, next, '/in-transaction');
  return {
    name: `generate-address, ${CONNECTIONS} connections`,
    measured: duelText(best, inTransaction),
    limit: `>= ${RATIO_MIN}`,
    isMet: best.ratio >= RATIO_MIN,
  };
}

/** Adds free addresses to the pool, in turn with the vault, which adds some too. */
async function fillPool(stage: Stage, count: number): Promise<void> {
  await stage.query('begin');
  await stage.query(`select pg_advisory_xact_lock(hashtextextended('pool_address', 0))`);
  await stage.query(
    `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
     select 'sandbox', 'evm', n, 'm/44''/60''/0''/0/' || n, key, key
       from (select greatest($1, max(derivation_index) + 1) as first from pool_address) known
      cross join lateral generate_series(first, first + $2::int - 1) n
      cross join lateral (select '0x' || lpad(to_hex(n), 40, '0') as key) made`,
    [FIRST_INDEX, count],
  );
  await stage.query('commit');
  await stage.query('vacuum analyze pool_address');
}

/** Adds an intent without an address and a free address for each request. */
export async function freshIntents(stage: Stage, count: number): Promise<Slice> {
  await fillPool(stage, count);
  const ids = Array.from({ length: count }, () => newId('pi_'));
  await stage.query(
    `insert into payment_intent (id, merchant_id, environment, status, amount_cents, currency, settlement_currency, network,
       token, reference, metadata, created_at, updated_at, expires_at, due_at)
     select id, $2, 'sandbox', 'requires_action', 2500, 'USD', 'USDC', 'polygon', 'USDC', 'order-1042',
            '{"customer":"cus_8127","cart":"spring-sale","items":3}', now(), now(), now() + interval '1 hour', now() + interval '1 hour'
       from unnest($1::text[]) id`,
    [ids, stage.service.merchantId],
  );
  return { count, paths: ids.map((id) => `/v1/payment-intents/${id}/generate-address`), body: '{}' };
}
