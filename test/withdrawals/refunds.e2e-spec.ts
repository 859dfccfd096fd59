import { Wallet } from 'ethers';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { type CliRun, runCommand } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { ProbeContract } from '../support/probe-contracts.js';
import { query } from '../support/sql.js';
import { COIN, PayoutLab } from './payout-lab.js';
import { sweepsOf } from './sweeps.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;
const UNITS = 2_000n * COIN;
/** Of BNB, in wei. */
const COINS = 2n * COIN;

let lab: PayoutLab;

beforeAll(async () => {
  lab = await PayoutLab.open({ SWEEP_FEE_SHARE_BPS: '100' });
});
afterAll(() => lab.close());

const coffer = (...args: readonly string[]): Promise<CliRun> =>
  runCommand([...args], { DATABASE_URL: lab.world.databaseUrl });

/** Mines once a second, so that everything becomes final, until the condition holds. */
const whileFinal = <T>(condition: () => Promise<T | null>): Promise<NonNullable<T>> =>
  eventually(async () => {
    await lab.makeFinal();
    return eventually(condition, MINE_EVERY_MS);
  }, WITHIN_MS);

/** Sends USDC to an address before its assignment, and returns the deposit in suspense. */
async function anUnattributedDeposit(): Promise<string> {
  const [free] = await query<{ address: string }>(
    lab.world.database,
    `select address from pool_address where intent_id is null order by id desc limit 1`,
  );
  const to = free?.address ?? '';
  await lab.testnet.controls.pay({ to, token: 'USDC', amount: UNITS });
  return inSuspense(to);
}

/** Waits until a deposit to the address is in suspense, and returns its id. */
const inSuspense = (to: string): Promise<string> =>
  whileFinal(async () => {
    const [deposit] = await query<{ id: string }>(
      lab.world.database,
      `select id from deposit where to_address = lower($1) and held_as = 'suspense'`,
      [to],
    );
    return deposit?.id ?? null;
  });

/** Orders the refund of a deposit as staff, and returns the refund's id. */
async function ordered(depositId: string, to: string): Promise<string> {
  const run = await coffer('deposits', 'resolve', depositId, '--to-address', to, '--reason', 'returned');
  expect(run).toMatchObject({ code: 0, err: '' });
  return /ret_\w+/.exec(run.out)?.[0] ?? '';
}

async function statusOf(id: string): Promise<string | undefined> {
  const [row] = await query<{ status: string }>(lab.world.database, `select status from deposit_return where id = $1`, [
    id,
  ]);
  return row?.status;
}

/** Waits until a refund is paid, and returns the hash of its transaction. */
const paid = (id: string): Promise<string> =>
  whileFinal(async () => {
    const [row] = await query<{ tx_hash: string }>(
      lab.world.database,
      `select tx_hash from deposit_return where id = $1 and status = 'completed'`,
      [id],
    );
    return row?.tx_hash ?? null;
  });

/** The gas of a refund's transaction in wei, by its row and by the books. */
async function gasOf(id: string): Promise<{ readonly paid: bigint; readonly booked: bigint }> {
  const [gas] = await query<{ paid: string; booked: string }>(
    lab.world.database,
    `select fee_paid as paid, (select -sum(posting.amount) from entry join posting on posting.entry_id = entry.id
                                 join account on account.id = account_id and account.kind = 'network_fees'
                                where reference = 'gas:' || sent.id) as booked
       from chain_transaction sent where purpose = 'deposit_return' and purpose_id = $1`,
    [id],
  );
  return { paid: BigInt(gas?.paid ?? 0), booked: BigInt(gas?.booked ?? 0) };
}

/** Asserts every rule about the books and about the chain. */
async function expectVerified(): Promise<void> {
  await expectBooksInOrder(lab.world.database);
  const { out } = await runCommand(['verify'], {
    DATABASE_URL: lab.world.databaseUrl,
    DATA_DIR: lab.world.dataDir,
    SANDBOX_BNB_RPC_URL: lab.testnet.url,
  });
  expect(out).not.toMatch(/BROKEN/);
  expect(out).toMatch(/\nThe books hold\./);
}

it('an unattributed deposit is swept and paid out whole and once, and the books are in order [G-97] [I-108]', async () => {
  const { database } = lab.world;
  const depositId = await anUnattributedDeposit();
  const destination = Wallet.createRandom().address;
  const id = await ordered(depositId, destination);
  // The hot wallet is empty: the refund waits, and triggers a sweep like a withdrawal.
  await eventually(
    async () => (await coffer('refunds', 'show', id)).out,
    (seen) => seen.includes('coins_missing'),
    WITHIN_MS,
  );
  await lab.fillHotWallet({ coins: 10n * COIN });
  const txHash = await paid(id);
  expect(await lab.arrivals(destination)).toEqual([{ txHash, amount: UNITS }]);
  const [sweep] = await sweepsOf(database);
  expect(sweep).toMatchObject({ reason: 'withdrawal', status: 'succeeded' });
  const gas = await gasOf(id);
  expect(gas.paid).toBeGreaterThan(0n);
  expect(gas.booked).toBe(gas.paid);
  expect((await coffer('refunds', 'show', depositId)).out).toMatch(/Status +completed/);
  // No merchant gets an event.
  expect(await query(database, `select from event where resource_id in ($1, $2)`, [id, depositId])).toEqual([]);
  await expectVerified();
});

it('a refund that its destination refuses costs nothing: the deposit is in suspense, and is paid out elsewhere [G-97]', async () => {
  const { world, testnet } = lab;
  // Coins for an intent in USDC.
  const intent = await intentWithAddress(world.api, { network: 'bnb' });
  await testnet.controls.pay({ to: addressOf(intent), token: null, amount: COINS });
  const depositId = await inSuspense(addressOf(intent));
  const sentBefore = await lab.sentByHotWallet();
  const { address: refusing } = await ProbeContract.deploy(testnet.node, 'ProbeToken', 18);
  const refused = await ordered(depositId, refusing);
  await whileFinal(async () => (await statusOf(refused)) === 'failed' || null);
  const { out } = await coffer('refunds', 'show', depositId);
  expect(out).toMatch(/^Status +failed$/m);
  expect(out).toMatch(/^Failed +destination_rejects: /m);
  expect(await gasOf(refused)).toEqual({ paid: 0n, booked: 0n });
  expect(await lab.sentByHotWallet()).toBe(sentBefore);
  expect(await testnet.controls.balance(null, refusing)).toBe(0n);
  await expectVerified();

  const destination = Wallet.createRandom().address;
  const second = await ordered(depositId, destination);
  await paid(second);
  expect(await testnet.controls.balance(null, destination)).toBe(COINS);
  expect(await lab.sentByHotWallet()).toBe(sentBefore + 1);
  const again = await coffer('deposits', 'resolve', depositId, '--to-address', destination, '--reason', 'twice');
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('return') });
  await expectVerified();
});
