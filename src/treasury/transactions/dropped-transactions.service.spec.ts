import { keccak256 } from 'ethers';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { aHotWallet, anOutgoing } from '../../../test/support/outgoing.js';
import { runtimeServing, ServedChain } from '../../../test/support/served-chains.js';
import { query } from '../../../test/support/sql.js';
import { createLogger } from '../../platform/logging.js';
import { DroppedTransactions } from './dropped-transactions.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const HEIGHT = 100;
const HEAD = {
  number: `0x${HEIGHT.toString(16)}`,
  hash: `0x${'64'.repeat(32)}`,
  parentHash: `0x${'63'.repeat(32)}`,
  timestamp: '0x65000000',
};

let db: TestDatabase;
let served: ServedChain;
let chains: TreasuryChains;
let log: LogLines;
let dropped: DroppedTransactions;
/** So many transactions of the wallet the chain counts at its head. */
let counted: number;

beforeEach(async () => {
  db = await freshDatabase();
  served = await ServedChain.start(db.database, 'polygon');
  const { node } = served;
  node.methods = {
    ...node.methods,
    eth_getBlockByNumber: (which) => (which === 'latest' ? HEAD : { hash: served.genesis }),
    eth_getTransactionCount: () => `0x${counted.toString(16)}`,
    eth_sendRawTransaction: (raw) => keccak256(String(raw)),
  };
  await aHotWallet(db.database, served.chain.chainRef);
  log = new LogLines();
  const logger = createLogger('info', { destination: log });
  chains = new TreasuryChains(db.database, runtimeServing([served.source]), logger);
  dropped = new DroppedTransactions(db.database, chains, logger);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await served.node.stop();
  await db.drop();
});

interface Ending {
  readonly status?: 'succeeded' | 'reverted';
  readonly height?: number;
  /** Of what was sent, in smallest units; 0 for a call. */
  readonly amount?: number;
}

const rawOf = (nonce: number, attempt = 1): string => `0x02${nonce}${attempt}`;

/** A transaction of two attempts, whose first one the chain took and made final. */
async function ended(nonce: number, { status = 'succeeded', height = HEIGHT - 9, amount = 1 }: Ending = {}) {
  const { database } = db;
  const id = await anOutgoing(database, served.chain.chainRef, { nonce, raws: [rawOf(nonce), rawOf(nonce, 2)] });
  // Its terms never change: a call is written as one.
  if (amount === 0) {
    await query(db.owner, `alter table chain_transaction disable trigger user`);
    await query(database, `update chain_transaction set purpose = 'sweep', amount = 0 where id = $1`, [id]);
    await query(db.owner, `alter table chain_transaction enable trigger user`);
  }
  await query(
    database,
    `update chain_transaction set status = $2, mined_hash = $3, mined_height = $4, fee_paid = 0, finished_at = now()
      where id = $1`,
    [id, status, keccak256(rawOf(nonce)), height],
  );
  await query(database, `update hot_wallet set next_nonce = greatest(next_nonce, $1)`, [nonce + 1]);
  return id;
}

const handed = (): unknown[] =>
  served.node.requests
    .flatMap(({ questions }) => questions)
    .filter(({ method }) => method === 'eth_sendRawTransaction')
    .map(({ params }) => params[0]);
const reported = (): unknown[] =>
  log.named('The chain dropped a final transaction.').map(({ transactionId }) => transactionId);

it('a transaction dropped by a reorg beyond finality is sent again with the same bytes, and reported once [F-64]', async () => {
  counted = 1;
  await ended(0);
  const ids = [await ended(1), await ended(2)];
  await anOutgoing(db.database, served.chain.chainRef, { nonce: 3, raws: [rawOf(3)] });
  await dropped.sendAgain();
  expect([handed(), reported()]).toEqual([[rawOf(1), rawOf(2)], ids]);
  await dropped.sendAgain();
  expect([handed(), reported()]).toEqual([[rawOf(1), rawOf(2), rawOf(1), rawOf(2)], ids]);
  counted = 3;
  await dropped.sendAgain();
  expect(handed()).toHaveLength(4);
});

it('a reverted and refunded payment is reported and never sent again; a reverted sweep is sent', async () => {
  counted = 0;
  const refunded = await ended(0, { status: 'reverted' });
  const sweep = await ended(1, { status: 'reverted', amount: 0 });
  await dropped.sendAgain();
  expect([handed(), reported()]).toEqual([[rawOf(1)], [refunded, sweep]]);
});

it('a node that lags has dropped nothing', async () => {
  counted = 0;
  await ended(0, { height: HEIGHT + 1 });
  await dropped.sendAgain();
  expect([handed(), reported()]).toEqual([[], []]);
});
