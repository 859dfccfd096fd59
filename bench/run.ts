/**
 * Measures the performance goals of the service and prints the figures with their limits: `npm run bench`. `--quick` uses
 * small sizes and writes no results. Names of rows (`create generate settle withdrawals two-apis lists events deliveries
 * console-lists console-money console-merchants first-load consoles webhooks isolation replays catch-up tron solana sweep
 * tron-sweep payouts payouts-everywhere start`) select rows; `--keep` replaces those rows in results.md and leaves the others.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, keepResults, tableOf } from './report.ts';
import { measureCatchUp } from './rows/catch-up.ts';
import { measureConsoleLists } from './rows/console-lists.ts';
import { measureConsoleMerchants } from './rows/console-merchants.ts';
import { measureConsoleMoney } from './rows/console-money.ts';
import { measureCreate } from './rows/create.ts';
import { measureDeliveryLists } from './rows/delivery-lists.ts';
import { measureEventLists } from './rows/event-lists.ts';
import { measureFirstLoad } from './rows/first-load.ts';
import { measureGenerateAddress } from './rows/generate-address.ts';
import { measureLists } from './rows/lists.ts';
import { measureOpenConsoles } from './rows/open-consoles.ts';
import { measurePayouts } from './rows/payouts.ts';
import { measureReplays } from './rows/replays.ts';
import { measurePayoutsEverywhere } from './rows/payouts-everywhere.ts';
import { measureSettle } from './rows/settle.ts';
import { measureRest, measureStarts } from './rows/start.ts';
import { measureSolana } from './rows/solana.ts';
import { measureTron } from './rows/tron.ts';
import { measureTronSweepCost } from './rows/tron-sweep-cost.ts';
import { measureTwoApis } from './rows/two-apis.ts';
import { measureSweepGas } from './rows/sweep-gas.ts';
import { measureWebhookIsolation } from './rows/webhook-isolation.ts';
import { measureWebhookLatency } from './rows/webhook-latency.ts';
import { measureWebhookThroughput } from './rows/webhook-throughput.ts';
import { measureWithdrawals } from './rows/withdrawals.ts';
import { setStage, type Stage } from './stage.ts';

const args = process.argv.slice(2);
const isQuick = args.includes('--quick');
const isKept = args.includes('--keep');
const named = args.filter((arg) => !arg.startsWith('--'));
const isWanted = (row: string): boolean => named.length === 0 || named.includes(row);

const QUICK = {
  pairs: 2,
  requests: 1_000,
  settle: { pairs: 2, intents: 1_000 },
  withdrawals: { pairs: 2, rounds: 2 },
  apis: { pairs: 2, requests: 1_000 },
  rows: 50_000,
  lists: 20,
  views: 20,
  merchants: 1_000,
  loads: 2,
  deliveries: 1_000,
  replayed: 2_000,
  rounds: 1,
  events: 100,
  catchUp: { blocks: 2_000, addresses: 10_000, manyAddresses: 100_000, runs: 1 },
  tron: { blocks: 100, addresses: 10_000, runs: 1 },
  solana: { addresses: [10_000], runs: 1, rates: [200] },
  payouts: { withdrawals: 150 },
  payoutsEverywhere: { withdrawals: 20 },
  settleMs: 5_000,
  watchMs: 5_000,
  payments: 3,
};
const WHOLE: typeof QUICK = {
  pairs: 7,
  requests: 4_000,
  settle: { pairs: 5, intents: 1_500 },
  withdrawals: { pairs: 7, rounds: 5 },
  apis: { pairs: 5, requests: 2_000 },
  rows: 1_000_000,
  lists: 200,
  views: 100,
  merchants: 10_000,
  loads: 7,
  deliveries: 10_000,
  replayed: 10_000,
  rounds: 3,
  events: 1_000,
  catchUp: { blocks: 2_000, addresses: 100_000, manyAddresses: 1_000_000, runs: 9 },
  tron: { blocks: 1_000, addresses: 100_000, runs: 5 },
  solana: { addresses: [10_000, 100_000], runs: 5, rates: [10, 50, 200] },
  payouts: { withdrawals: 1_000 },
  payoutsEverywhere: { withdrawals: 300 },
  settleMs: 20_000,
  watchMs: 20_000,
  payments: 20,
};
const SIZES = isQuick ? QUICK : WHOLE;

const NOTES = [
  'create, generate-address: the service and the bare server (node:http and pg) answer slices of the same load in turns, on ' +
    "one database; the ratio is the median of the pairs'. PostgreSQL's log proves that both write by the same statement, and " +
    'both send a create before those in front of it on its connection are answered. The second ratio is that to a bare server that ' +
    'takes a transaction with a statement for each step. The rate limit is off; the service runs all its roles and logs at level info.',
  'settle: from the moment the listener makes deposits of intents of 100 merchants final to the last completed intent, by ' +
    "the database's clock. The baseline marks the intents and makes the deposits final by two statements of the listener, then settles " +
    '25 in a transaction as the service does, and in a second comparison each in its own, by the same statements (those for one ' +
    'are checked in the log), over 16 connections, as many as a worker has jobs at once. It leaves out the rest of the listener, ' +
    'the queue, the fold, the relay and the seals, which the service runs meanwhile.',
  'withdrawals: orders of 100 merchants with one pocket each, in rounds of one order per pocket, over which the rate is taken; ' +
    'between rounds they are cancelled by SQL and the money is booked back, with all guards, which is not measured. Both ' +
    'write by the same statement (checked in the log); the second ratio is as above. The hot wallet is frozen, so the vault checks every order meanwhile, ' +
    'records that it waits, and signs none; the bare server wakes no worker.',
  'payouts: withdrawals from 1,000 pockets at once, over 32 connections, from hot wallets that hold enough. Settled intents ' +
    'have filled the pockets, with deposits that are in the books only. Three anvils make a block a second, empty or not. ' +
    'The least time is the blocks that the gas used fills (1 per chain) and those on top that make the last one final (2 on ' +
    'ethereum, 3 on polygon and bnb), so 4 s; the total is from the first order to the last completion by the database, on ' +
    'cores that the anvils share. The chains must have exactly 1,000 transactions of the hot wallets, and every rule of ' +
    '`coffer verify` that needs no chain must hold afterwards, or the row fails.',
  'payouts-everywhere: the same on all five networks at once, each on its development chain with a block a second (solana: a slot ' +
    'every 0.4 s), to addresses that hold nothing, which on solana opens an account with each. The least time is that of the ' +
    'slowest finality. The hot wallets on solana and tron must have paid exactly the sum of the withdrawals by their chains.',
  'These groups of rows each have their own database, service and bare server: create and generate-address; ' +
    'settle; withdrawals; two api processes; lists; events; lists of deliveries; webhooks.',
  'Two api processes: 32 connections, half of them to each, and all of them to one, in turns; the other roles run in their ' +
    'own process. Load generator, PostgreSQL and processes share the cores named above: on two of them a second process can ' +
    'hardly be faster, so the limit shows that it costs nothing, not that it adds capacity.',
  'Latency under load is that of 32 busy connections.',
  'Lists and events: the median of 200 requests on one connection; "deep" is the page in the middle of the filtered list. ' +
    'An intent is looked up among the same million, another one each time; the row fails when the plan does not use the index.',
  'Lists of deliveries: of a merchant with 20 endpoints and half of the deliveries, all but one in 250 of them delivered, by the ' +
    'endpoint with the most; the row fails when a plan reads a whole table.',
  'Console: lists over the intents and deliveries of all merchants, a tenth of the deliveries dead letters, by one member of ' +
    'staff, while intents are created at an even pace; the median and the 95th percentile. "Deep" is the page in the middle of ' +
    'the filtered list. The row fails when a plan reads a whole table.',
  'Console, other lists and pages: the same under the same writes, among a million withdrawals, entries, deposits, deliveries, ' +
    'logged requests and audit entries (console-money), or among 10,000 merchants with 120,000 pockets and 20,000 endpoints ' +
    '(console-merchants), 100 requests each. PostgreSQL logs the plan of every statement of an api process (auto_explain), and ' +
    'the row fails when one reads more than a tenth of a large table; the counts of the address pool do, at most every 30 s.',
  'First load: Chromium on this machine with an empty cache, over loopback, signed in; interactive is the end of the last task ' +
    'of 50 ms or more. The throttle makes the page slower, and not the service.',
  'Open consoles: browsers in a separate process follow the stream and load the landing page as its own code does. The figure ' +
    'is the processor time of an api process; another process makes the events and delivers them.',
  'Webhooks: 100 endpoints of two merchants on one local receiver; the bare loop signs, posts with undici and inserts one ' +
    'row per delivery, 64 at once like the service. Isolation: 50 events a second over 98 endpoints, from `created_at` to ' +
    'the receiver, alone and beside an endpoint that refuses connections and one that answers after 9 s, 200 events behind.',
  'Replays: a job of the console recovers the dead letters of one endpoint, without a limit for each endpoint in turns with ' +
    'the bare loop of the webhooks, from the first post to the last; then with the limit, while the endpoint gets 20 fresh ' +
    'events a second, timed from `created_at` to the receiver.',
  'Catch-up: one transaction with 10 transfers per block, one transfer in 100 to an address of an intent, the other ' +
    'addresses free; a separate listener process, from its first recorded step to the head, in turns with the bare loop ' +
    "and with itself at many addresses; the ratios are the medians of the pairs'. Memory is the process's at the end.",
  'Tron: the reader of the listener without its database, in turns with a loop that fetches and parses the same two answers ' +
    'about each block, both against a local server with canned blocks of 380 transactions; processes of their own.',
  'Solana: the listener with its database, step after step without pauses, from its first step to the end of the round over all ' +
    'addresses, in turns with a loop that fetches the same balances, histories and transactions; 100 of the accounts hold a ' +
    'payment that the books lack, and the row fails unless each is recorded. At a rate, the listener pauses as it does in service.',
  'Sweeps on tron: ten deposits of USDT each way, at addresses that were never used, on the development chain with the ' +
    'prices of the main network and the highest penalty of a busy contract. All that the hot wallet spends counts: ' +
    'activation, energy, and the bytes of every transaction beyond the free ones; what is left at an address pays for its ' +
    'next sweep.',
];

type Measured = Figure | readonly Figure[];

/** Measures a row and prints its figures at once, to show progress. A row that fails is a figure, and the others go on. */
async function measureRow(row: string, measure: () => Promise<Measured>): Promise<Figure[]> {
  const figures = await measure().catch((error: unknown): Figure => {
    console.error(error);
    return { name: row, measured: 'failed, see the output of the bench', limit: 'a result', isMet: false };
  });
  return [figures].flat().map((figure) => {
    process.stderr.write(`${figure.name}: ${figure.measured} (${figure.limit})\n`);
    return figure;
  });
}

/** Rows on one stage, by their names. */
type Scene = Readonly<Record<string, (stage: Stage) => Promise<Measured>>>;

/**
 * Rows that need no chains. Each scene has its own database, service and bare server, so that the rows and caches of one
 * scene do not slow another.
 */
const SCENES: readonly Scene[] = [
  {
    create: (stage) => measureCreate(stage, SIZES),
    generate: (stage) => measureGenerateAddress(stage, SIZES),
  },
  { settle: (stage) => measureSettle(stage, SIZES.settle) },
  { withdrawals: (stage) => measureWithdrawals(stage, SIZES.withdrawals) },
  { 'two-apis': (stage) => measureTwoApis(stage, SIZES.apis) },
  { lists: (stage) => measureLists(stage, { rows: SIZES.rows, requests: SIZES.lists }) },
  { events: (stage) => measureEventLists(stage, { rows: SIZES.rows, requests: SIZES.lists }) },
  { deliveries: (stage) => measureDeliveryLists(stage, { rows: SIZES.rows, requests: SIZES.lists }) },
  { 'console-lists': (stage) => measureConsoleLists(stage, { rows: SIZES.rows, requests: SIZES.lists }) },
  { 'console-money': (stage) => measureConsoleMoney(stage, { rows: SIZES.rows, requests: SIZES.views }) },
  {
    'console-merchants': (stage) =>
      measureConsoleMerchants(stage, { merchants: SIZES.merchants, requests: SIZES.views }),
  },
  {
    'first-load': (stage) => measureFirstLoad(stage, { loads: SIZES.loads }),
    consoles: (stage) => measureOpenConsoles(stage, SIZES),
  },
  {
    webhooks: (stage) => measureWebhookThroughput(stage, SIZES),
    isolation: (stage) => measureWebhookIsolation(stage, SIZES),
  },
];

/** Rows that set up what they need themselves. */
const ALONE: Readonly<Record<string, (dir: string) => Promise<Measured>>> = {
  replays: (dir) => measureReplays(dir, SIZES),
  'catch-up': (dir) => measureCatchUp(dir, SIZES.catchUp),
  tron: () => measureTron(SIZES.tron),
  solana: (dir) => measureSolana(dir, SIZES.solana),
  sweep: () => measureSweepGas(),
  'tron-sweep': () => measureTronSweepCost(),
  payouts: (dir) => measurePayouts(dir, SIZES.payouts),
  'payouts-everywhere': (dir) => measurePayoutsEverywhere(dir, SIZES.payoutsEverywhere),
  start: (dir) => inSandbox(dir),
};

/** Measures the selected rows of a scene. */
async function play(scene: Scene, dir: string): Promise<Figure[]> {
  const wanted = Object.entries(scene).filter(([row]) => isWanted(row));
  if (wanted.length === 0) return [];
  const figures: Figure[] = [];
  const stage = await setStage(dir);
  try {
    for (const [row, measure] of wanted) figures.push(...(await measureRow(row, () => measure(stage))));
    return figures;
  } finally {
    await stage.close();
    rmSync(dir, { recursive: true, force: true });
    settleDisk();
  }
}

/** Rows about the sandbox as `npm start` runs it. */
async function inSandbox(dir: string): Promise<Figure[]> {
  const { figures, service } = await measureStarts(dir);
  try {
    return [...figures, ...(await measureRest(service, SIZES)), await measureWebhookLatency(service, SIZES.payments)];
  } finally {
    await service.stop();
  }
}

/** Flushes earlier writes to the disk now, and not while the next row is measured. */
function settleDisk(): void {
  execFileSync('sync');
}

const dir = mkdtempSync(join(tmpdir(), 'coffer-bench-'));
// PostgreSQL may run as another user, who needs to enter the directory.
chmodSync(dir, 0o711);
try {
  const figures: Figure[] = [];
  for (const [place, scene] of SCENES.entries()) figures.push(...(await play(scene, join(dir, `stage-${place}`))));
  for (const [row, measure] of Object.entries(ALONE)) {
    if (!isWanted(row)) continue;
    settleDisk();
    figures.push(...(await measureRow(row, () => measure(join(dir, row)))));
  }
  console.log(tableOf(figures));
  if (!isQuick && (isKept || named.length === 0)) await keepResults(figures, NOTES, { isWhole: named.length === 0 });
  process.exitCode = figures.every((figure) => figure.isMet) ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
