import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { runtimeServing, ServedChain } from '../../../test/support/served-chains.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { currentFees } from './current-fees.js';
import { GasPriceSamples } from './gas-price-samples.service.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const GWEI = 10n ** 9n;

let db: TestDatabase;
let database: Database;
let ethereum: ServedChain;
let polygon: ServedChain;
let chains: TreasuryChains;
let samples: GasPriceSamples;
let log: LogLines;

beforeEach(async () => {
  db = await freshDatabase();
  ({ database } = db);
  [ethereum, polygon] = await Promise.all([
    ServedChain.start(database, 'ethereum'),
    ServedChain.start(database, 'polygon'),
  ]);
  log = new LogLines();
  const logger = createLogger('info', { destination: log });
  chains = new TreasuryChains(database, runtimeServing([ethereum.source, polygon.source]), logger);
  samples = new GasPriceSamples(database, chains, logger);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await Promise.all([ethereum.node.stop(), polygon.node.stop()]);
  await db.drop();
});

const current = ({ chain }: ServedChain) => currentFees(database.em(), chain.chainRef);
const age = (seconds: number) =>
  query(db.owner, `update fee_round set taken_at = taken_at - make_interval(secs => $1)`, [seconds]);
const logged = () => log.lines.map(({ level, msg, chainRef }) => [level, msg, chainRef]);

describe('gas price samples', () => {
  it('store the gas prices of each chain, by the rules of its network', async () => {
    await samples.takeDue();
    const fees = { sampleId: expect.any(String), baseFee: GWEI, tipStandard: 2n * GWEI, tipFast: 3n * GWEI };
    await expect(current(ethereum)).resolves.toEqual(fees);
    await expect(current(polygon)).resolves.toEqual({ ...fees, tipStandard: 30n * GWEI, tipFast: 30n * GWEI });
  });

  it('are taken again when they have aged, and the newest counts', async () => {
    await samples.takeDue();
    await samples.takeDue();
    expect(ethereum.asked('eth_feeHistory')).toBe(1);
    await age(10);
    ethereum.baseFee = 7n * GWEI;
    await samples.takeDue();
    await expect(current(ethereum)).resolves.toMatchObject({ baseFee: 7n * GWEI });
  });

  it('are not used when older than two minutes', async () => {
    await expect(current(ethereum)).resolves.toBeNull();
    await samples.takeDue();
    await age(115);
    await expect(current(ethereum)).resolves.not.toBeNull();
    await age(6);
    await expect(current(ethereum)).resolves.toBeNull();
  });

  it('of a chain whose node hangs do not delay the others, and are taken once it answers', async () => {
    ethereum.node.speak = () => 'say nothing';
    await samples.takeDue();
    await expect(current(polygon)).resolves.not.toBeNull();
    await age(10);
    await samples.takeDue();
    expect(polygon.asked('eth_feeHistory')).toBe(2);
    await expect(current(ethereum)).resolves.toBeNull();
  });

  it('are reported missing once, and once when they are back', async () => {
    const { node } = ethereum;
    const honest = node.methods;
    node.methods = { ...honest, eth_feeHistory: () => ({ reward: null }) };
    await samples.takeDue();
    await samples.takeDue();
    node.methods = honest;
    await samples.takeDue();
    const { chainRef } = ethereum.chain;
    expect(logged()).toEqual([
      ['warn', 'A recurring job failed on the chain.', chainRef],
      ['info', 'A recurring job works again on the chain.', chainRef],
    ]);
  });

  it('[I-117] report once when the gas price exceeds the cap, and once when it is below again', async () => {
    for (const baseFee of [300n * GWEI, 400n * GWEI, GWEI]) {
      ethereum.baseFee = baseFee;
      await samples.takeDue();
      await age(10);
    }
    const { chainRef } = ethereum.chain;
    expect(logged()).toEqual([
      ['error', 'The gas price is above the cap: withdrawals wait.', chainRef],
      ['info', 'The gas price is below the cap again.', chainRef],
    ]);
  });

  it('are deleted after a day', async () => {
    await query(
      database,
      `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
       select $1, 1, 1, 1, now() - interval '1 day' - make_interval(secs => n) from generate_series(1, 2500) n`,
      [ethereum.chain.chainRef],
    );
    await samples.takeDue();
    await samples.prune();
    const left = await query<{ chain_ref: string }>(database, `select chain_ref from fee_round order by chain_ref`);
    expect(left.map((row) => row.chain_ref)).toEqual([ethereum.chain.chainRef, polygon.chain.chainRef]);
  });
});

describe('the chains of the treasury', () => {
  const refs = async () => (await chains.active()).map(({ chainRef }) => chainRef);

  it('are the active chains of the ledger that have nodes', async () => {
    const both = [ethereum.chain.chainRef, polygon.chain.chainRef];
    await expect(refs()).resolves.toEqual(both);
    await query(database, `update chain set active = false where id = $1`, [both[0] ?? '']);
    await expect(refs()).resolves.toEqual([both[1]]);
    await expect(chains.find(both[0] ?? '')).resolves.toBeNull();
    await expect(chains.find(both[1] ?? '')).resolves.toMatchObject({ chainRef: both[1] });
    await expect(chains.find('unknown')).resolves.toBeNull();
    const elsewhere = new TreasuryChains(database, runtimeServing([]), createLogger('silent'));
    await expect(elsewhere.active()).resolves.toEqual([]);
  });

  it('[F-70] are never reached through a node of another chain, until it serves ours', async () => {
    const { genesis } = ethereum;
    ethereum.genesis = polygon.genesis;
    await samples.takeDue();
    await expect(current(ethereum)).resolves.toBeNull();
    expect(ethereum.asked('eth_feeHistory')).toBe(0);
    ethereum.genesis = genesis;
    await eventually(async () => {
      await samples.takeDue();
      return current(ethereum);
    });
  });

  it('[F-70] are not reached when the configured nodes have another chain id', async () => {
    await query(database, `update chain set chain_id = '1' where id = $1`, [ethereum.chain.chainRef]);
    await samples.takeDue();
    await samples.takeDue();
    expect(ethereum.node.requests).toEqual([]);
    expect(log.named('The configured nodes serve another chain.')).toMatchObject([
      { level: 'error', chainRef: ethereum.chain.chainRef, configured: '31337' },
    ]);
  });

  it('follow a development chain that was restarted', async () => {
    await samples.takeDue();
    const next = await genesisOfNextChain(ethereum);
    await expect(refs()).resolves.toContain(next);
    await samples.takeDue();
    await expect(currentFees(database.em(), next)).resolves.not.toBeNull();
  });

  it('are closed at the end without logging the interrupted work', async () => {
    ethereum.node.speak = () => 'say nothing';
    const taking = samples.takeDue();
    await eventually(
      () => ethereum.node.requests.length,
      (seen) => seen > 0,
    );
    await chains.beforeApplicationShutdown();
    await taking;
    expect(log.lines).toEqual([]);
    await expect(chains.active()).resolves.toEqual([]);
  });

  /** Another chain takes the place of this one, in the books and behind its node. */
  async function genesisOfNextChain({ chain }: ServedChain): Promise<string> {
    const genesis = `0x${'ab'.repeat(32)}`;
    const id = `${chain.chainRef}-next`;
    await query(database, `update chain set active = false where id = $1`, [chain.chainRef]);
    await query(
      database,
      `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, active)
       select $2, environment, network, family, chain_id, $3, confirmations, true from chain where id = $1`,
      [chain.chainRef, id, genesis],
    );
    ethereum.genesis = genesis;
    return id;
  }
});
