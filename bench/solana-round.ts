/**
 * One round of the listener over all addresses of a pool on Solana, with its database: step after step until the round is
 * over, without pauses in between, or at the rate of a node's plan with them. Run by `fork`; takes a `SolanaOrder`, answers
 * with `SolanaRun`.
 */
import { Client } from 'pg';
import { pino } from 'pino';
import { place } from './compiled.ts';
import { LEASE, openDatabase, solanaProfile } from './solana-stage.ts';

const { AccountListener }: typeof import('../src/payments/listener/accounts/account-listener.js') = await import(
  place('payments/listener/accounts/account-listener.js')
);
const { ChainRegistry }: typeof import('../src/chains/registry.js') = await import(place('chains/registry.js'));
const { RequestRates }: typeof import('../src/chains/rpc/request-rate.js') = await import(
  place('chains/rpc/request-rate.js')
);

/** More than any node answers: the steps are as large as they become, and no request waits. */
const UNLIMITED = 100_000;

/** A round through the node at `url`; `perSecond` is the node's limit, null = none. */
export interface SolanaOrder {
  readonly url: string;
  readonly databaseUrl: string;
  readonly chainRef: string;
  readonly perSecond: number | null;
}

/** How long it took, and the payments that it found. */
export interface SolanaRun {
  readonly seconds: number;
  readonly found: number;
}

async function run({ url, databaseUrl, chainRef, perSecond }: SolanaOrder): Promise<SolanaRun> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`insert into lease values ($1, 'bench', $2, now() + interval '1 hour')`, [
    LEASE.name,
    LEASE.epoch,
  ]);
  const database = openDatabase(databaseUrl);
  const rates = new RequestRates(perSecond ?? UNLIMITED);
  const registry = new ChainRegistry([{ profile: solanaProfile(), rpcUrls: [url], rates }]);
  const [chain] = registry.all();
  if (chain?.reading !== 'accounts') throw new Error('Solana is read by accounts.');
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    const listener = new AccountListener({
      chainRef,
      profile: solanaProfile(),
      nodes: chain.nodes,
      secondNodeAboveCents: 0,
      database,
      lease: LEASE,
      logger: pino({ level: 'warn' }),
      onTouched: () => undefined,
      onDoubt: () => undefined,
      onPaused: () => undefined,
      onDenied: () => undefined,
      onProgress: () => {
        isOver(client, chainRef)
          .then((over) => (over ? resolve(listener.stop()) : perSecond === null && listener.nudge()))
          .catch(reject);
      },
    });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows } = await client.query<{ found: number }>('select count(*)::int as found from deposit');
  await registry.close();
  await database.close();
  await client.end();
  return { seconds, found: rows[0]?.found ?? 0 };
}

async function isOver(client: Client, chainRef: string): Promise<boolean> {
  const { rows } = await client.query<{ round: string | null }>(
    'select native_round_below as round from chain_cursor where chain_ref = $1',
    [chainRef],
  );
  return rows[0]?.round === null;
}

async function reply(order: SolanaOrder): Promise<void> {
  process.send?.(await run(order));
}

process.once('message', (order: SolanaOrder) => void reply(order));
