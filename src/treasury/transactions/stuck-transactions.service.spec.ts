import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aHotWallet, anOutgoing, type OutgoingTraits } from '../../../test/support/outgoing.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { runtimeServing, ServedChain } from '../../../test/support/served-chains.js';
import { createLogger } from '../../platform/logging.js';
import { StuckTransactions } from './stuck-transactions.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const silent = createLogger('silent');
const HEAD = {
  number: '0x64',
  hash: `0x${'64'.repeat(32)}`,
  parentHash: `0x${'63'.repeat(32)}`,
  timestamp: '0x65000000',
};
/** Wei: every attempt offers 5 for a gas, 1 of them as a tip. */
const ENOUGH = 4;
const TOO_MUCH = 5;

let db: TestDatabase;
let served: ServedChain;
let chains: TreasuryChains;
let queue: RecordingQueue;
let stuck: StuckTransactions;
/** So many transactions of the wallet are mined. */
let mined: number;

beforeEach(async () => {
  db = await freshDatabase();
  served = await ServedChain.start(db.database, 'ethereum');
  mined = 0;
  const { node } = served;
  node.methods = {
    ...node.methods,
    eth_getBlockByNumber: (which) => (which === 'latest' ? HEAD : { hash: served.genesis }),
    eth_getTransactionCount: (_address, block) => {
      expect(block).toEqual({ blockHash: HEAD.hash });
      return `0x${mined.toString(16)}`;
    },
  };
  await aHotWallet(db.database, served.chain.chainRef);
  chains = new TreasuryChains(db.database, runtimeServing([served.source]), silent);
  queue = new RecordingQueue();
  const config = {
    treasury: { stuckAfterMs: 30_000, unexplainedAfterMs: 60_000, sweepFeeShareBps: 100, hotWalletCapCents: 0 },
  };
  stuck = new StuckTransactions(db.database, chains, queue.queue, config, silent);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await served.node.stop();
  await db.drop();
});

const asksFor = (baseFee: number) =>
  db.query(
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at) values ($1, $2, 1, 1, now())`,
    [served.chain.chainRef, baseFee],
  );
const outgoing = (traits: OutgoingTraits) => anOutgoing(db.database, served.chain.chainRef, traits);

/** Nonces of the transactions to replace. */
async function found(): Promise<number[]> {
  await stuck.find();
  const rows = await db.query<{ id: string; nonce: string }>(
    `select id, nonce from chain_transaction where replace_wanted_at is not null order by nonce`,
  );
  const woken = await queue.woken('treasury.replace');
  expect(woken).toEqual(expect.arrayContaining(rows.map(({ id }) => ({ transactionId: id }))));
  expect(woken).toHaveLength(rows.length);
  return rows.map(({ nonce }) => Number(nonce));
}

it('[I-114] an old transaction that is not mined and offers less than the current price is replaced', async () => {
  await asksFor(TOO_MUCH);
  for (const nonce of [0, 1, 2]) await outgoing({ nonce, secondsAgo: 31, raws: [`0x020${nonce}`] });
  await outgoing({ nonce: 3, secondsAgo: 29, raws: ['0x0203'] });
  mined = 1;
  expect(await found()).toEqual([1, 2]);
  // Once is enough: it is wanted until the vault has signed it.
  expect(await found()).toEqual([1, 2]);
});

it('[I-114] a transaction that offers enough waits its turn; the next nonce is replaced after ten times as long', async () => {
  await asksFor(ENOUGH);
  for (const nonce of [0, 1, 2]) await outgoing({ nonce, secondsAgo: 301, raws: [`0x020${nonce}`] });
  mined = 1;
  expect(await found()).toEqual([1]);
});

it('[I-114] a transaction that offers enough is not replaced until then', async () => {
  await asksFor(ENOUGH);
  await outgoing({ secondsAgo: 299 });
  expect(await found()).toEqual([]);
});

it('only the newest attempt counts, and after 20 of them operators have to act', async () => {
  await asksFor(TOO_MUCH);
  await outgoing({ secondsAgo: 400, raws: Array.from({ length: 20 }, (_, place) => `0x02${10 + place}`) });
  expect(await found()).toEqual([]);
});

it('no node is called while no transaction is old, or the wallet is frozen', async () => {
  await asksFor(TOO_MUCH);
  await outgoing({ nonce: 0, secondsAgo: 0, raws: ['0x0200'] });
  expect(await found()).toEqual([]);
  await outgoing({ nonce: 1, secondsAgo: 31, raws: ['0x0201'] });
  await db.query(`update hot_wallet set frozen_reason = 'under investigation'`);
  expect(await found()).toEqual([]);
  expect(served.asked('eth_getTransactionCount')).toBe(0);
});
