import { place } from '../compiled.ts';
import { MEDIAN_MAX_MS, medianLatencies, readingKey } from '../list-latencies.ts';
import type { Figure } from '../report.ts';
import type { Stage } from '../stage.ts';

const { compiled }: typeof import('../../src/platform/sql/sql.js') = await import(place('platform/sql/sql.js'));
const { intentPage }: typeof import('../../src/payments/intents/intent-page.sql.js') = await import(
  place('payments/intents/intent-page.sql.js')
);
export interface Finding {
  /** Intents in the table, numbered from 1 as `loadIntents` writes them. */
  readonly rows: number;
  readonly requests: number;
  readonly merchantId: string;
}

/** The keys of a look-up, from the number of an intent, and the index that must find it. */
const LOOKUPS = [
  {
    name: 'reference',
    index: 'payment_intent_reference',
    textOf: (n: number) => `order-${n}`,
    filterOf: (reference: string) => ({ reference }),
  },
  {
    name: 'address',
    index: 'pool_address_address_key_key',
    textOf: (n: number) => `0xf${n.toString(16).padStart(39, '0')}`,
    filterOf: (key: string) => ({ address: { family: 'evm', key } as const }),
  },
  {
    name: 'tx_hash',
    index: 'deposit_chain_ref_tx_hash_position_key',
    textOf: (n: number) => `0x${String(n).padStart(64, '0')}`,
    filterOf: (key: string) => ({ tx_hash: { family: 'evm', key } as const }),
  },
] as const;

/** Measures the latency of looking up an intent among a million, another one each time. */
export async function measureFinding(stage: Stage, { rows, requests, merchantId }: Finding): Promise<Figure[]> {
  const apiKey = await readingKey(stage, merchantId);
  const figures: Figure[] = [];
  for (const { name, index, textOf, filterOf } of LOOKUPS) {
    const page = intentPage({ merchantId, environment: 'sandbox' }, { limit: 25, ...filterOf(textOf(1)) }, null);
    await expectIndex(stage, page, index);
    const path = (): string => `/v1/payment-intents?${name}=${textOf(1 + Math.floor(Math.random() * rows))}`;
    const [ms = NaN] = await medianLatencies(stage, apiKey, [path], requests);
    figures.push({
      name: `find an intent by ${name}`,
      measured: `${ms.toFixed(1)} ms`,
      limit: `< ${MEDIAN_MAX_MS} ms`,
      isMet: ms < MEDIAN_MAX_MS,
    });
  }
  return figures;
}

/** @throws Error when the plan of the service's statement does not use the index, or scans a large table. */
async function expectIndex(stage: Stage, page: ReturnType<typeof intentPage>, index: string): Promise<void> {
  const { text, values } = compiled(page);
  const lines = await stage.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
  const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
  if (!plan.includes(index) || /Seq Scan on (payment_intent|deposit|pool_address)/.test(plan)) {
    throw new Error(`The plan does not use ${index}:\n${plan}`);
  }
}
