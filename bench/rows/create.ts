import { CONNECTIONS, duel, duelText } from '../duel.ts';
import type { Figure } from '../report.ts';
import { checkSameWrites } from '../same-statements.ts';
import type { Stage } from '../stage.ts';

const RATIO_MIN = 0.5;
const PATH = '/v1/payment-intents';

/** An intent as a shop would create it. */
export const CREATE_BODY = JSON.stringify({
  amount_cents: 2_500,
  currency: 'USD',
  network: 'polygon',
  token: 'USDC',
  reference: 'order-1042',
  metadata: { customer: 'cus_8127', cart: 'spring-sale', items: 3 },
});

/** Measures the throughput of `POST /v1/payment-intents`, compared with the bare server. */
export async function measureCreate(
  stage: Stage,
  { pairs, requests }: { pairs: number; requests: number },
): Promise<Figure> {
  const { apiKey } = stage.service;
  await checkSameWrites(stage, 'create', () => ({ path: PATH, apiKey, body: CREATE_BODY }));
  const slice = { count: requests, paths: [PATH], body: CREATE_BODY };
  const next = () => Promise.resolve(slice);
  const best = await duel(stage, pairs, next);
  const inTransaction = await duel(stage, pairs, next, '/in-transaction');
  return {
    name: `create, ${CONNECTIONS} connections`,
    measured: duelText(best, inTransaction),
    limit: `>= ${RATIO_MIN}`,
    isMet: best.ratio >= RATIO_MIN,
  };
}
