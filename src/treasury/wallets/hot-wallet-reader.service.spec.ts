import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, type SeededChain } from '../../../test/support/factories.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { HotWalletReader } from './hot-wallet-reader.service.js';

const WALLET = `0x${'ab'.repeat(20)}`;

let db: TestDatabase;

beforeAll(async () => (db = await freshDatabase()));
afterAll(() => db.drop());

/** A hot wallet with 1,000 of its token, at the same address on each chain. */
async function aHotWallet(chain: SeededChain): Promise<void> {
  await db.query(`insert into hot_wallet values ($1, $2, $2, 'm/1')`, [chain.chainRef, WALLET]);
  await db.query(`insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, 1000, 100)`, [
    chain.chainRef,
    chain.contract,
  ]);
}

it('the view of each hot wallet subtracts what its own chain has promised, in that token alone', async () => {
  const [promising, other] = [await aChain(db.database), await aChain(db.database, { network: 'ethereum' })];
  for (const chain of [promising, other]) await aHotWallet(chain);
  await db.query(
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'POL', 18, 8, true)`,
    [promising.chainRef, NATIVE_COIN],
  );
  await db.query(`insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, 5000, 100)`, [
    promising.chainRef,
    NATIVE_COIN,
  ]);
  await db.query(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
       token_contract, amount, status)
     values ('ctx_1', $1, 'withdrawal', 'wd_1', $2, 0, $2, 0, '0x', 10, $3, 300, 'signed')`,
    [promising.chainRef, WALLET, promising.contract],
  );
  await db.query(
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas) values ('ctx_1', 1, '0x1', '0x', 5, 1)`,
  );

  const views = await new HotWalletReader(db.database).all();
  const spendable = views.map(({ chainRef, holdings }) => [
    chainRef,
    Object.fromEntries(holdings.map((held) => [held.symbol, held.spendable])),
  ]);
  expect(Object.fromEntries(spendable)).toEqual({
    [promising.chainRef]: { USDC: 700n, POL: 4_950n },
    [other.chainRef]: { USDC: 1_000n },
  });
});

it('the spendable amount of a token whose balance was never read is unknown', async () => {
  const chain = await aChain(db.database, { network: 'bnb' });
  await db.query(`insert into hot_wallet values ($1, $2, $2, 'm/1')`, [chain.chainRef, WALLET]);

  const views = await new HotWalletReader(db.database).all();
  const view = views.find(({ chainRef }) => chainRef === chain.chainRef);
  expect(view?.holdings).toMatchObject([{ symbol: 'USDC', amount: null, spendable: null }]);
});
