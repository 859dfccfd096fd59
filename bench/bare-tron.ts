/**
 * The baseline of reading Tron: fetches both answers about each block, six blocks at once like the service, and parses the
 * JSON; it links, checks and matches nothing. Run by `fork`; takes a `TronOrder`, answers with `TronRun`.
 */
import { Agent, request } from 'undici';
import type { TronOrder, TronRun } from './tron-reader.ts';

const BLOCKS_AT_ONCE = 6;
const agent = new Agent();

async function ask<Answer>(url: string, body: object): Promise<Answer> {
  const answer = await request(url, { method: 'POST', dispatcher: agent, body: JSON.stringify(body) });
  return JSON.parse(await answer.body.text());
}

async function run({ url, blocks }: TronOrder): Promise<TronRun> {
  const startedAt = performance.now();
  const heights = Array.from({ length: blocks }, (_, n) => n + 1).values();
  let transactions = 0;
  await Promise.all(
    Array.from({ length: BLOCKS_AT_ONCE }, async () => {
      for (const num of heights) {
        const infos = await ask<unknown[]>(`${url}/wallet/gettransactioninfobyblocknum`, { num });
        const block = await ask<{ transactions: unknown[] }>(`${url}/wallet/getblockbynum`, { num });
        if (block.transactions.length === infos.length) transactions += infos.length;
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, transactions, found: 0 };
}

async function reply(order: TronOrder): Promise<void> {
  process.send?.(await run(order));
}

process.once('message', (order: TronOrder) => void reply(order));
