/**
 * The baseline of a round over Solana: fetches the balances of all accounts, two requests at once like the service, and the
 * history and transaction of each account that holds something; it compares and stores nothing. Run by `fork`; takes a
 * `SolanaOrder`, answers with `SolanaRun`.
 */
import { Agent, request } from 'undici';
import { accountsIn } from './solana-stage.ts';
import type { SolanaOrder, SolanaRun } from './solana-round.ts';

const ACCOUNTS_PER_REQUEST = 100;
const AT_ONCE = 2;
const agent = new Agent();

async function run({ url, databaseUrl }: SolanaOrder): Promise<SolanaRun> {
  let id = 0;
  const ask = async <Result>(method: string, ...params: readonly unknown[]): Promise<Result> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', dispatcher: agent, headers, body });
    const { result }: { result: Result } = JSON.parse(await answer.body.text());
    return result;
  };
  const accounts = await accountsIn(databaseUrl);
  const batches = Array.from({ length: Math.ceil(accounts.length / ACCOUNTS_PER_REQUEST) }, (_, n) =>
    accounts.slice(n * ACCOUNTS_PER_REQUEST, (n + 1) * ACCOUNTS_PER_REQUEST),
  ).values();
  let found = 0;
  const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 64, length: 8 } };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const batch of batches) {
        const { value } = await ask<{ value: (object | null)[] }>('getMultipleAccounts', batch, options);
        for (const [place, stored] of value.entries()) {
          if (stored === null) continue;
          const [paid] = await ask<{ signature: string }[]>('getSignaturesForAddress', batch[place], {});
          await ask('getTransaction', paid?.signature, {});
          found++;
        }
      }
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, found };
}

async function reply(order: SolanaOrder): Promise<void> {
  process.send?.(await run(order));
}

process.once('message', (order: SolanaOrder) => void reply(order));
