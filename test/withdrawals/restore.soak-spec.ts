import { Wallet } from 'ethers';
import type { Database } from '../../src/platform/database/database.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { expectNamed } from '../auditor/tampering.js';
import { untilRead } from '../chain/watching.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { expectBooksInOrder } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN, type PayoutLab } from './payout-lab.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from './payouts.js';
import { RestoredLab } from './restored-lab.js';
import { sweepsOf } from './sweeps.js';
import { accepted, getWithdrawal, pocketOn } from './withdrawals.js';

const WITHIN_MS = 45_000;
const POCKET_UNITS = 10_000n * COIN;
/** A hundredth of a coin in minor units, and in smallest ones. */
const COIN_CENTS = 1_000_000;
const COIN_UNITS = COIN / 100n;
/** A payment in a token and one in the coin, two sweep contracts and a sweep. */
const UNRECORDED = 5;

let restored: RestoredLab;
let lab: PayoutLab;
let paid: WithdrawalObject;
let paidInCoin: WithdrawalObject;
/** What the customer paid of the coin. */
let coins: bigint;
/** The hashes of the hot wallet's transactions after the backup, by nonce, as a block explorer shows them. */
let hashes: string[];
let database: Database;

/** Fills a pocket of BNB, and orders a withdrawal from it. */
async function orderedCoins(): Promise<WithdrawalObject> {
  const { api } = lab.world;
  const intent = await intentWithAddress(api, { network: 'bnb', token: 'BNB', amount_cents: 60_000 });
  coins = BigInt(intent.crypto_amount ?? 0);
  await lab.testnet.controls.pay({ to: addressOf(intent), token: null, amount: coins });
  await lab.makeFinal();
  await untilStatus(api, intent.id, 'completed');
  const { id } = await pocketOn(api, 'bnb', 'BNB');
  return accepted(api, id, { destination: Wallet.createRandom().address, amount_cents: COIN_CENTS });
}

/** The first life: withdrawals are ordered, the backup is taken, then they are paid and the deposits are swept. */
beforeAll(async () => {
  restored = await RestoredLab.open({ SWEEP_FEE_SHARE_BPS: '100' });
  ({ lab } = restored);
  await lab.fillHotWallet({ coins: 10n * COIN, usdc: 100n * COIN });
  paid = await lab.order(Wallet.createRandom().address);
  paidInCoin = await orderedCoins();
  for (const { id } of [paid, paidInCoin]) await lab.waits(id, 'wallet_frozen');
  await restored.takeBackup();
  await restored.release();
  hashes = await restored.whileFinal(async () => {
    const rows = await query<{ mined_hash: string | null }>(
      restored.database,
      `select mined_hash from chain_transaction order by nonce`,
    );
    const ended = rows.flatMap(({ mined_hash: hash }) => hash ?? []);
    return ended.length === UNRECORDED ? ended : null;
  });
  expect(await lab.sentByHotWallet()).toBe(UNRECORDED);
  await restored.forget();
  await restored.live();
  await restored.release();
  ({ database } = restored);
}, 120_000);

afterAll(() => restored.close());

describe('after a restore of a database without the records of a payment and a sweep [H-106] [I-113]', () => {
  it('nothing is signed: the vault asks the chain first, and freezes the wallet', async () => {
    const reason = await eventually(() => restored.frozenReason(), WITHIN_MS);
    expect(reason).toBe(`The chain counts ${UNRECORDED} transactions of the hot wallet, and 0 are known here.`);
    expect(await query(database, `select from chain_transaction`)).toEqual([]);
    expect(await lab.sentByHotWallet()).toBe(UNRECORDED);
  });

  it('the wallet stays frozen and the money held while a transaction is unrecorded, and the operator sees its nonce', async () => {
    expect(await restored.unfreeze()).toMatchObject({
      code: 1,
      err: expect.stringContaining('that are not known here, with the nonces 0, 1, 2, 3, 4. Adopt them first'),
    });
    const cancelled = await restored.coffer('withdrawals', 'cancel', paid.id, '--reason', 'it waits so long');
    expect(cancelled).toMatchObject({ code: 1, err: expect.stringContaining('one of them may have paid it') });
    // Each is final once the listener has read the blocks again.
    await untilRead(restored, lab.testnet);
    const { code, out } = await restored.coffer('treasury', 'unrecorded', '--network', 'bnb');
    expect(code).toBe(1);
    expect(out).toContain(`Hot wallet ${lab.hotWallet}: the next nonce in the database is 0.`);
    expect(out.match(/^\d +final +unrecorded$/gm)).toHaveLength(UNRECORDED);
    expect(out).toMatch(new RegExp(`${paid.id} +20.* +10 USDC +${paid.destination}`));
    expect(out).toMatch(new RegExp(`${paidInCoin.id} +20.* +0.01 BNB +${paidInCoin.destination}`));
  });

  it('each is adopted by its hash, in the order of the nonces, once', async () => {
    const [first = '', second = ''] = hashes;
    const early = await restored.adopt(second);
    expect(early.err).toContain('Its nonce is 1. The transaction with nonce 0 comes first.');
    for (const [nonce, hash] of hashes.entries()) {
      const { code, out, err } = await restored.adopt(hash);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(new RegExp(`^ADOPTED: nonce ${nonce}, ctx_\\w+, for (withdrawal|contract|sweep) `));
    }
    expect(await restored.adopt(first)).toMatchObject({
      code: 0,
      out: expect.stringContaining('already in the books'),
    });
    expect((await restored.coffer('treasury', 'unrecorded', '--network', 'bnb')).code).toBe(0);
    expect((await payoutOf(database, paid.id))?.attempts).toHaveLength(1);
  });

  it('each withdrawal completes by its final receipt with an event, the sweep ends by its logs, and nothing is paid twice', async () => {
    await restored.whileFinal(async () => {
      const open = await query(database, `select from chain_transaction where status = 'signed'`);
      return open.length === 0;
    });
    const completed = await getWithdrawal(restored.client(), paid.id);
    expect(completed).toMatchObject({ status: 'completed' });
    expect(hashes).toContain(completed.tx_hash);
    await lab.expectArrivedOnce(completed);
    const completedInCoin = await getWithdrawal(restored.client(), paidInCoin.id);
    expect(completedInCoin).toMatchObject({ status: 'completed' });
    expect(hashes).toContain(completedInCoin.tx_hash);
    expect(await lab.testnet.controls.balance(null, paidInCoin.destination)).toBe(COIN_UNITS);
    for (const { id } of [paid, paidInCoin]) {
      expect(await withdrawalEvents(database, id)).toEqual(['withdrawal.completed']);
      expect((await payoutOf(database, id))?.attempts).toHaveLength(1);
    }
    const swept = (await sweepsOf(database)).filter(({ minedHash }) => minedHash !== null);
    expect(swept).toMatchObject([{ status: 'succeeded', isFinished: true }]);
    const units = swept.flatMap(({ items }) => items.map((item) => item.swept));
    expect(new Set(units)).toEqual(new Set([POCKET_UNITS, coins]));
    expect(await lab.sentByHotWallet()).toBe(UNRECORDED);
    await expectBooksInOrder(database);
    await expectPayoutsInOrder(database);
    const { code, out } = await restored.coffer('verify');
    expect({ code, broken: out.match(/BROKEN.*/g) }).toEqual({ code: 0, broken: null });
  });

  it('the auditor names an adoption without an audit entry of an operator', async () => {
    await expectNamed(
      restored.owner,
      `delete from audit_entry where action = 'transaction.adopt' and subject = '${paid.id}'
       returning (select format('transaction_attempt %s/1', id) from chain_transaction
                   where purpose_id = audit_entry.subject) as row`,
      'signatures_are_accounted_for',
    );
  });

  it('the unfrozen wallet continues with the next nonce', async () => {
    expect(await restored.unfreeze()).toMatchObject({ code: 0, out: expect.stringContaining('signs again') });
    const { id, destination } = await restored.order(restored.client(), Wallet.createRandom().address);
    await lab.arrived({ destination });
    const completed = await restored.completed(restored.client(), id);
    await lab.expectArrivedOnce(completed);
    expect((await payoutOf(database, id))?.nonce).toBe(UNRECORDED);
    expect(await lab.sentByHotWallet()).toBe(UNRECORDED + 1);
    await expectBooksInOrder(database);
  });
});
