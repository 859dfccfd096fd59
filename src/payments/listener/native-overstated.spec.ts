import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { aCoinTransaction, type Mined } from '../../../test/support/memory-chain.js';
import { NATIVE_DEPTH, NativeScene } from '../../../test/support/native-scene.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { DepositRecorder } from './deposit-recorder.service.js';

let db: TestDatabase;
let database: Database;
let log: LogLines;
let scene: NativeScene;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
beforeEach(async () => {
  log = new LogLines();
  scene = await NativeScene.set(database, new DepositRecorder(database, createLogger('error', { destination: log })));
});
afterAll(() => db.drop());

/** The deposits in the books as [transaction, amount, status], in the order of the chain. */
async function books(): Promise<[string | null, string, string][]> {
  return (await scene.deposits()).map(({ tx_hash: hash, amount, status }) => [hash, amount, status]);
}

/** Makes all that is recorded final; the address is checked once more meanwhile. */
async function settle(): Promise<void> {
  for (let i = 0; i < NATIVE_DEPTH; i++) scene.node.mine();
  await scene.read();
}

const paid = (amount: bigint) => aCoinTransaction(scene.address, amount);
const inside = (amount: bigint) => [{ to: scene.address, amount }];

describe('a balance that was reported too high', () => {
  it.each<[what: string, before: () => Mined, next: () => Mined, amounts: string[]]>([
    ['a transaction of the next block', () => ({}), () => ({ transactions: [paid(5n)] }), ['5']],
    ['what a contract passes on in the next block', () => ({}), () => ({ inside: inside(5n) }), ['5']],
    [
      'both, beside coins that arrived before',
      () => ({ transactions: [paid(7n)], inside: inside(2n) }),
      () => ({ transactions: [paid(5n)], inside: inside(3n) }),
      ['7', '5', '5'],
    ],
  ])('of %s is booked once, and final only as it is [F-81]', async (_what, before, next, amounts) => {
    scene.node.mine(before());
    scene.node.mine(next());
    scene.node.lag = 1;
    scene.node.tellsNewest = true;
    await scene.read();
    expect(await scene.booked()).toBe(scene.node.balanceOf(scene.address));
    scene.node.lag = 0;
    scene.node.tellsNewest = false;
    await scene.read();
    expect(await scene.booked()).toBe(scene.node.balanceOf(scene.address));
    await settle();
    scene.node.mine();
    await settle();
    expect((await books()).map(([, amount, status]) => [amount, status])).toEqual(
      amounts.map((amount) => [amount, 'confirmed']),
    );
    expect(log.lines).toEqual([]);
  });

  it.each([
    { reported: 9n, isThere: 4n },
    { reported: 9n, isThere: 0n },
  ])(
    '($reported instead of $isThere) by a node that invents coins is orphaned by the next one',
    async ({ reported, isThere }) => {
      scene.node.mine({ inside: inside(isThere) });
      scene.node.keepsBack = isThere - reported;
      await scene.read();
      expect(await books()).toEqual([[null, '9', 'seen']]);
      scene.node.keepsBack = 0n;
      await settle();
      expect(await books()).toEqual(isThere === 0n ? [] : [[null, isThere.toString(), 'seen']]);
      const dirty = await query(database, `select from dirty_intent where intent_id = $1`, [scene.intent.id]);
      expect(dirty).toHaveLength(1);
      expect(log.lines).toEqual([]);
    },
  );

  it('is put right before it is final, also after a downtime of many blocks', async () => {
    scene.node.mine();
    scene.node.mine({ transactions: [paid(5n)] });
    scene.node.lag = 1;
    scene.node.tellsNewest = true;
    await scene.read();
    scene.node.lag = 0;
    scene.node.tellsNewest = false;
    for (let i = 0; i < 60; i++) scene.node.mine();
    await scene.read();
    expect((await books()).map(([, , status]) => status)).toEqual(['seen', 'confirmed']);
    await scene.read();
    expect((await books()).map(([, amount, status]) => [amount, status])).toEqual([['5', 'confirmed']]);
    expect(log.lines).toEqual([]);
  });

  it('several times in a row is put right at once', async () => {
    for (const invented of [2n, 5n, 6n]) {
      scene.node.mine();
      scene.node.keepsBack = -invented;
      await scene.read();
    }
    expect((await books()).map(([, amount]) => amount)).toEqual(['2', '3', '1']);
    scene.node.keepsBack = 0n;
    scene.node.mine();
    await scene.read();
    expect(await books()).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('orphans no transaction and nothing final: missing amounts of these are logged', async () => {
    const first = paid(5n);
    scene.node.mine({ transactions: [first], inside: inside(3n) });
    await scene.read();
    await settle();
    scene.node.mine();
    scene.node.keepsBack = -4n;
    await scene.read();
    scene.node.keepsBack = 1n;
    scene.node.mine();
    await scene.read();
    expect(await books()).toEqual([
      [first.txHash, '5', 'confirmed'],
      [null, '3', 'confirmed'],
    ]);
    expect(log.lines).toEqual([expect.objectContaining({ address: scene.address, missing: '1' })]);
  });

  it('is found out in its own block too, when that is read again', async () => {
    scene.node.mine();
    scene.node.mine({ inside: inside(3n) });
    scene.node.keepsBack = -4n;
    await scene.read();
    scene.node.keepsBack = 0n;
    await scene.setBack(101);
    await scene.read();
    expect(await books()).toEqual([[null, '3', 'seen']]);
  });
});
