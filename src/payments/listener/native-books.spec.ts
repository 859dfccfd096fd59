import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant, anIntent, freeAddresses } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { aCoinTransaction } from '../../../test/support/memory-chain.js';
import { NATIVE_DEPTH, NativeScene } from '../../../test/support/native-scene.js';
import { query } from '../../../test/support/sql.js';
import type { Database } from '../../platform/database/database.js';
import { createLogger } from '../../platform/logging.js';
import { CursorMoved } from './chain-cursor.js';
import { DepositRecorder } from './deposit-recorder.service.js';
import type { NativeReading } from './native-read-planner.js';

let db: TestDatabase;
let database: Database;
let log: LogLines;
let recorder: DepositRecorder;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
});
beforeEach(() => {
  log = new LogLines();
  recorder = new DepositRecorder(database, createLogger('error', { destination: log }));
});
afterAll(() => db.drop());

describe("the books of a chain's own coin", () => {
  it('hold a transaction by its hash, and what contracts passed on as the remainder of the balance [G-93]', async () => {
    const scene = await NativeScene.set(database, recorder);
    const paid = aCoinTransaction(scene.address, 5n);
    scene.node.mine({ transactions: [paid], inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    expect(await scene.deposits()).toMatchObject([
      { tx_hash: paid.txHash, amount: '5', status: 'seen', intent_id: scene.intent.id },
      { tx_hash: null, amount: '3', status: 'seen', intent_id: scene.intent.id, block_height: '101' },
    ]);
    for (let i = 0; i < NATIVE_DEPTH; i++) scene.node.mine();
    await scene.read();
    expect((await scene.deposits()).map(({ amount, status }) => [amount, status])).toEqual([
      ['5', 'confirmed'],
      ['3', 'confirmed'],
    ]);
  });

  it('date a remainder at the head, however long ago it came: only there the balance is asked for', async () => {
    const scene = await NativeScene.set(database, recorder);
    const paid = aCoinTransaction(scene.address, 5n);
    scene.node.mine({ transactions: [paid], inside: [{ to: scene.address, amount: 3n }] });
    for (let i = 0; i < 60; i++) scene.node.mine();
    await scene.read();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: paid.txHash, block_height: '101' }]);
    await scene.read();
    expect(await scene.deposits()).toMatchObject([
      { tx_hash: paid.txHash, block_height: '101', status: 'confirmed' },
      { tx_hash: null, amount: '3', block_height: '161', status: 'seen' },
    ]);
  });

  it('hold what a balance shows at a block that was recorded before, without waiting for the next one', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    await scene.read({ balancesOf: [] });
    await scene.read({ quietly: false });
    expect(await scene.deposits()).toEqual([]);
    await scene.read({ quietly: true });
    await scene.read({ quietly: true });
    expect(await scene.deposits()).toMatchObject([{ tx_hash: null, amount: '3', status: 'seen', block_height: '101' }]);
    // The chain takes the block back, and what was found at it goes with it.
    scene.node.takeBack(1);
    scene.node.mine();
    await scene.read({ balancesOf: [] });
    expect(await scene.deposits()).toEqual([]);
  });

  it('do not count a transaction that a remainder covers when its block is read again [F-81]', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine({ transactions: [aCoinTransaction(scene.address, 5n)] });
    scene.node.mine();
    // No intent waited for the coin, so the blocks were not read in full; the balance was checked all the same.
    await scene.read({ transactions: false });
    const later = aCoinTransaction(scene.address, 7n);
    scene.node.mine({ transactions: [later] });
    await scene.read();
    const before = await scene.deposits();
    expect(before.map(({ amount, tx_hash: hash }) => [amount, hash])).toEqual([
      ['5', null],
      ['7', later.txHash],
    ]);
    await scene.setBack(100);
    await scene.read();
    expect(await scene.deposits()).toEqual(before);
  });

  it('drop what was read from a block that a reorg removed while its cursor was set back [F-64] [F-81]', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine();
    scene.node.mine();
    const paid = aCoinTransaction(scene.address, 5n);
    scene.node.mine({ transactions: [paid], inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    expect(await scene.booked()).toBe(8n);
    await scene.setBack(101);
    scene.node.takeBack(1);
    scene.node.mine();
    await scene.read();
    expect(await scene.deposits()).toEqual([]);
    scene.node.mine({ transactions: [paid] });
    await scene.read();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: paid.txHash, amount: '5', block_height: '104' }]);
  });

  it('add what a node kept back at first to the remainder of its block, and not as a second one', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    scene.node.keepsBack = 2n;
    await scene.read();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: null, amount: '1' }]);
    scene.node.keepsBack = 0n;
    await scene.setBack(100);
    await scene.read();
    expect(await scene.deposits()).toMatchObject([{ tx_hash: null, amount: '3', status: 'seen' }]);
  });

  it('take a remainder back with its block, and find it once more in the next [F-64]', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine();
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    const [before] = await scene.deposits();
    scene.node.takeBack(1);
    scene.node.mine();
    await scene.read();
    expect(await scene.deposits()).toEqual([]);
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    const [after] = await scene.deposits();
    expect(after).toMatchObject({ tx_hash: null, amount: '3' });
    expect(after?.block_hash).not.toBe(before?.block_hash);
  });

  it('separate coins from the token that an intent asks for, and retire an address that had them first [G-95] [G-97]', async () => {
    const scene = await NativeScene.set(database, recorder);
    const usdc = { ...scene.chain, symbol: 'USDC', contract: `0x${'a1'.repeat(20)}`, decimals: 6 };
    const other = await anIntent(database, { tenant: await aMerchant(database), chain: usdc });
    const elsewhere = await anIntent(database, {
      tenant: other.tenant,
      chain: await aChain(database, { network: 'ethereum', coin: 'ETH' }),
    });
    const [free = ''] = await freeAddresses(database, 1);
    const addresses = [other.address, elsewhere.address, free];
    scene.node.mine({ inside: addresses.map((to) => ({ to, amount: 3n })) });
    await scene.read({ transactions: false, balancesOf: addresses });
    const reasons = await Promise.all(addresses.map((address) => scene.deposits(address)));
    expect(reasons.flat().map((row) => row.unattributed_reason)).toEqual([
      'other_token',
      'other_network',
      'address_not_assigned',
    ]);
    const retired = await query(
      database,
      `select address from pool_address where retired_at is not null and address = any($1)`,
      [addresses],
    );
    expect(retired).toEqual([{ address: free }]);
  });

  it('stay as they are when an address holds less than they say, which is logged once', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine({ transactions: [aCoinTransaction(scene.address, 5n)] });
    await scene.read();
    scene.node.mine({ inside: [{ to: scene.address, amount: -2n }] });
    await scene.read();
    scene.node.mine();
    await scene.read();
    expect(await scene.booked()).toBe(5n);
    expect(log.lines).toEqual([
      expect.objectContaining({ level: 'error', address: scene.address, missing: '2', chainRef: scene.chain.chainRef }),
    ]);
  });

  it('move with the place in the round over all addresses, or not at all', async () => {
    const scene = await NativeScene.set(database, recorder);
    const { chainRef } = scene.chain;
    const takeTurn = async (what: Partial<NativeReading>): Promise<string | null | undefined> => {
      scene.node.mine();
      await scene.read(what).catch((error: unknown) => expect(error).toBeInstanceOf(CursorMoved));
      const [row] = await query<{ native_round_below: string | null }>(
        database,
        `select native_round_below from chain_cursor where chain_ref = $1`,
        [chainRef],
      );
      return row?.native_round_below;
    };
    expect(await takeTurn({ turn: { nextBelow: '42' } })).toBe('42');
    expect(await takeTurn({})).toBe('42');
    await query(database, `update chain_cursor set halted_reason = 'a check' where chain_ref = $1`, [chainRef]);
    expect(await takeTurn({ turn: { nextBelow: '7' } })).toBe('42');
    await query(database, `update chain_cursor set halted_reason = null where chain_ref = $1`, [chainRef]);
    expect(await takeTurn({ turn: { nextBelow: null } })).toBeNull();
  });

  it('refuse a token without a transaction, and one remainder twice in a block', async () => {
    const scene = await NativeScene.set(database, recorder);
    scene.node.mine({ inside: [{ to: scene.address, amount: 3n }] });
    await scene.read();
    const copy = `insert into deposit select (jsonb_populate_record(original, $2::jsonb)).* from deposit original
                   where chain_ref = $1`;
    const again = (columns: object): Promise<unknown> =>
      query(database, copy, [scene.chain.chainRef, JSON.stringify({ id: 'dep_copy', ...columns })]);
    await expect(again({})).rejects.toThrow('deposit_remainder');
    await expect(again({ token_contract: `0x${'a1'.repeat(20)}`, position: 0 })).rejects.toThrow(
      'deposit_origin_check',
    );
    await expect(again({ tx_hash: '0x01', from_address: '0x02', position: 0 })).rejects.toThrow(
      'deposit_position_check',
    );
    await expect(again({ tx_hash: '0x01' })).rejects.toThrow('deposit_origin_check');
  });
});
