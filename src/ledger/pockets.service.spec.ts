import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant, type SeededChain } from '../../test/support/factories.js';
import { query } from '../../test/support/sql.js';
import type { Database } from '../platform/database/database.js';
import { PocketsService, type PocketToken } from './pockets.service.js';

const pockets = new PocketsService();

let db: TestDatabase;
let database: Database;
let chain: SeededChain;
let usdc: PocketToken;

beforeAll(async () => {
  db = await freshDatabase();
  database = db.database;
  chain = await aChain(database);
  usdc = { ...chain, symbol: 'USDC', minorUnitExponent: 2 };
});
afterAll(() => db.drop());

const pocketsOf = (merchantId: string): Promise<{ token: string; network: string }[]> =>
  query(database, `select network, token from pocket where merchant_id = $1 order by network`, [merchantId]);

describe('a pocket', () => {
  it('is opened once, however many deposits of it arrive at the same time', async () => {
    const tenant = await aMerchant(database);
    const found = await Promise.all(
      Array.from({ length: 10 }, () => database.transaction((tx) => pockets.depositAccounts(tx, tenant, usdc))),
    );
    expect(new Set(found.map((accounts) => accounts.availableAccountId)).size).toBe(1);
    expect(await pocketsOf(tenant.merchantId)).toHaveLength(1);
  });

  it('exists for every merchant and every offered token, with a zero balance', async () => {
    const [one, other] = [await aMerchant(database), await aMerchant(database)];
    const tokens: PocketToken[] = [usdc, { ...usdc, network: 'bnb', decimals: 18 }];
    await database.transaction((tx) => pockets.openForAllMerchants(tx, tokens));
    await database.transaction((tx) => pockets.openForAllMerchants(tx, tokens));
    for (const { merchantId } of [one, other]) {
      expect(await pocketsOf(merchantId)).toEqual([
        { network: 'bnb', token: 'USDC' },
        { network: 'polygon', token: 'USDC' },
      ]);
    }
  });

  it('is opened once by processes that start at the same time', async () => {
    const { merchantId } = await aMerchant(database);
    const token = { ...usdc, contract: `0x${'6'.repeat(40)}` };
    await Promise.all([1, 2, 3].map(() => database.transaction((tx) => pockets.openForAllMerchants(tx, [token]))));
    expect(await pocketsOf(merchantId)).toHaveLength(1);
  });

  it('is opened for thousands of merchants, and opening it again changes nothing', async () => {
    await query(
      database,
      `insert into merchant (id, name) select 'mer_many_' || lpad(n::text, 5, '0'), 'Many' from generate_series(1, 5000) as n`,
    );
    const token = { ...usdc, contract: `0x${'5'.repeat(40)}` };
    const openAll = (): Promise<void> => database.transaction((tx) => pockets.openForAllMerchants(tx, [token]));
    await openAll();
    await openAll();
    const [row] = await query<{ count: string }>(
      database,
      `select count(*) from pocket where token_contract = $1 and merchant_id like 'mer_many_%'`,
      [token.contract],
    );
    expect(row?.count).toBe('5000');
  });

  it('is opened with known decimals only', async () => {
    const tenant = await aMerchant(database);
    const opening = database.transaction((tx) =>
      pockets.depositAccounts(tx, tenant, { ...usdc, decimals: Number.NaN }),
    );
    await expect(opening).rejects.toThrow('needs its decimals');
    expect(await pocketsOf(tenant.merchantId)).toEqual([]);
  });

  it('is a new pocket when the symbol moves to another contract, and the old one keeps its money [H-103]', async () => {
    const tenant = await aMerchant(database);
    const moved = { ...usdc, contract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' };
    const accounts = await database.transaction(async (tx) => [
      await pockets.depositAccounts(tx, tenant, usdc),
      await pockets.depositAccounts(tx, tenant, moved),
      await pockets.depositAccounts(tx, tenant, usdc),
    ]);
    expect(accounts[1]).toMatchObject({ asset: `polygon:${moved.contract}` });
    expect(accounts[1]?.availableAccountId).not.toBe(accounts[0]?.availableAccountId);
    expect(accounts[2]).toEqual(accounts[0]);
    expect(
      await query(database, `select token, token_contract from pocket where merchant_id = $1 order by id`, [
        tenant.merchantId,
      ]),
    ).toEqual([
      { token: 'USDC', token_contract: chain.contract },
      { token: 'USDC', token_contract: moved.contract },
    ]);
  });

  it('shares no account with another merchant or environment, except the chain account', async () => {
    const tenants = [await aMerchant(database), await aMerchant(database)];
    const [one, other] = await Promise.all(
      tenants.map((tenant) => database.transaction((tx) => pockets.depositAccounts(tx, tenant, usdc))),
    );
    expect(one?.availableAccountId).not.toBe(other?.availableAccountId);
    expect(one?.chainAccountId).toBe(other?.chainAccountId);
  });

  it('is identified by the contract, so that two tokens of one symbol are two assets [H-103]', async () => {
    const tenant = await aMerchant(database);
    const assets = await database.transaction(async (tx) => [
      (await pockets.depositAccounts(tx, tenant, usdc)).asset,
      (await pockets.depositAccounts(tx, tenant, { ...usdc, network: 'bnb' })).asset,
    ]);
    expect(assets).toEqual([`polygon:${chain.contract}`, `bnb:${chain.contract}`]);
  });
});
