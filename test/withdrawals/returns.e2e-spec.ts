import { Wallet } from 'ethers';
import { expectBooksInOrder } from '../support/books.js';
import { type CliRun, runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { COIN, PayoutLab } from './payout-lab.js';
import { sweepsOf } from './sweeps.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;
const UNITS = 2_000n * COIN;

let lab: PayoutLab;

beforeAll(async () => {
  lab = await PayoutLab.open({ SWEEP_FEE_SHARE_BPS: '100' });
});
afterAll(() => lab.close());

const coffer = (...args: readonly string[]): Promise<CliRun> =>
  runCommand([...args], { DATABASE_URL: lab.world.databaseUrl });

/** Makes everything final that happens, once a second as a chain does, until this holds. */
const whileFinal = <T>(condition: () => Promise<T | null>): Promise<NonNullable<T>> =>
  eventually(async () => {
    await lab.makeFinal();
    return eventually(condition, MINE_EVERY_MS);
  }, WITHIN_MS);

/** USDC that somebody sent to an address which was given to nobody, in suspense. */
async function aStrayDeposit(): Promise<string> {
  const [free] = await lab.world.database.query<{ address: string }>(
    `select address from pool_address where intent_id is null order by id desc limit 1`,
  );
  const to = free?.address ?? '';
  await lab.testnet.controls.pay({ to, token: 'USDC', amount: UNITS });
  await lab.makeFinal();
  return eventually(async () => {
    const [deposit] = await lab.world.database.query<{ id: string }>(
      `select id from deposit where to_address = lower($1) and held_as = 'suspense'`,
      [to],
    );
    return deposit?.id;
  });
}

it('an unattributed deposit is swept, paid out to an address whole and once, and the books hold [G-97] [I-108]', async () => {
  const { database } = lab.world;
  const depositId = await aStrayDeposit();
  const destination = Wallet.createRandom().address;
  const ordered = await coffer('deposits', 'resolve', depositId, '--to-address', destination, '--reason', 'returned');
  expect(ordered).toMatchObject({ code: 0, err: '' });
  const id = /ret_\w+/.exec(ordered.out)?.[0] ?? '';
  // The hot wallet is empty: the return waits, and asks for a sweep like a withdrawal.
  await eventually(async () => (await coffer('returns', 'show', id)).out.includes('coins_missing'), WITHIN_MS);
  await lab.fillHotWallet({ coins: 10n * COIN });
  const [ended] = await whileFinal(async () => {
    const rows = await database.query<{ tx_hash: string }>(
      `select tx_hash from deposit_return where id = $1 and status = 'completed'`,
      [id],
    );
    return rows.length > 0 ? rows : null;
  });
  expect(await lab.arrivals(destination)).toEqual([{ txHash: ended?.tx_hash, amount: UNITS }]);
  const [sweep] = await sweepsOf(database);
  expect(sweep).toMatchObject({ reason: 'withdrawal', status: 'succeeded' });
  const [gas] = await database.query<{ paid: string; booked: string }>(
    `select fee_paid as paid, (select sum(posting.amount) from entry join posting on posting.entry_id = entry.id
                                 join account on account.id = account_id and account.kind = 'network_fees'
                                where reference = 'gas:' || sent.id) as booked
       from chain_transaction sent where purpose = 'deposit_return' and purpose_id = $1`,
    [id],
  );
  expect(BigInt(gas?.paid ?? 0)).toBeGreaterThan(0n);
  expect(gas?.booked).toBe(`-${gas?.paid}`);
  expect((await coffer('returns', 'show', depositId)).out).toMatch(/Status +completed/);
  // No merchant hears of it.
  expect(await database.query(`select from event where resource_id in ($1, $2)`, [id, depositId])).toEqual([]);
  await expectBooksInOrder(database);
  const verified = await runCommand(['verify'], {
    DATABASE_URL: lab.world.databaseUrl,
    DATA_DIR: lab.world.dataDir,
    SANDBOX_BNB_RPC_URL: lab.testnet.url,
  });
  expect(verified.out).not.toMatch(/BROKEN/);
  expect(verified.out).toMatch(/\nThe books hold\./);
});
