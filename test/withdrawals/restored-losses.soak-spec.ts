import { Wallet } from 'ethers';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { newMerchant } from '../http/paying.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import type { CliRun } from '../support/cli-run.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN } from './payout-lab.js';
import { holdBack } from './payout-weather.js';
import { type Attempt, expectPayoutsInOrder, payoutOf, withdrawalEvents } from './payouts.js';
import { RestoredLab } from './restored-lab.js';
import { getWithdrawal, pocketOn } from './withdrawals.js';

const WITHIN_MS = 45_000;
const TEN_DOLLARS = 10n * COIN;

let restored: RestoredLab;
/** A withdrawal of Alice, cancelled after the backup: the restored database has no record of that. */
let cancelled: WithdrawalObject;
/** A withdrawal of Alice, ordered and paid after the backup. */
let lost: WithdrawalObject;
/** A withdrawal of Bob, ordered before the backup and signed after it. Our nodes have dropped the transaction. */
let standing: WithdrawalObject;
/** A withdrawal of Carol, ordered while the wallet is frozen for the second time. */
let later: WithdrawalObject;
/** The transactions that were signed in the lost life. */
let signed: Readonly<Record<'lost' | 'standing', Attempt>>;
let keys: Readonly<Record<'alice' | 'bob' | 'carol', { readonly apiKey: string }>>;
let bobsId: string;

const newDestination = (): string => Wallet.createRandom().address;
const alice = (): ApiClient => restored.client(keys.alice);
const bob = (): ApiClient => restored.client(keys.bob);
const carol = (): ApiClient => restored.client(keys.carol);
const forBob = (command: 'freeze' | 'unfreeze'): Promise<CliRun> =>
  restored.coffer('withdrawals', command, '--merchant', bobsId, '--env', 'sandbox', '--reason', 'it may be paid');

/** Waits until a node has accepted a payment of this life, and returns its only version. */
const sent = ({ id }: WithdrawalObject): Promise<Attempt> =>
  eventually(async () => {
    const [row] = await query<{ tx_hash: string | null }>(
      restored.database,
      `select tx_hash from withdrawal where id = $1`,
      [id],
    );
    const attempts = (await payoutOf(restored.database, id))?.attempts ?? [];
    return attempts.find(({ txHash }) => txHash === row?.tx_hash);
  }, WITHIN_MS);

const statusOf = async (txHash: string): Promise<string | undefined> => {
  const [row] = await query<{ status: string }>(
    restored.database,
    `select status from chain_transaction join transaction_attempt on transaction_id = id where tx_hash = $1`,
    [txHash],
  );
  return row?.status;
};

/** Returns the balance of the receivable account, in smallest units. */
const claimed = async (): Promise<bigint> => {
  const [row] = await query<{ sum: string }>(
    restored.database,
    `select coalesce(sum(amount), 0) as sum from posting join account on account.id = account_id
      where kind = 'receivable'`,
  );
  return BigInt(row?.sum ?? 0);
};

beforeAll(async () => {
  restored = await RestoredLab.open({ NONCE_UNEXPLAINED_AFTER_MS: '300' });
  const { lab } = restored;
  const others = [await newMerchant(lab.world), await newMerchant(lab.world)] as const;
  keys = { alice: lab.world.api, bob: others[0], carol: others[1] };
  const [bobs] = await lab.fillPockets(others);
  await lab.fillHotWallet({ coins: 10n * COIN, usdc: 1_000n * COIN });
  cancelled = await restored.order(alice(), newDestination());
  standing = await restored.order(bob(), newDestination());
  const [{ merchant_id: merchantId } = { merchant_id: '' }] = await query<{ merchant_id: string }>(
    lab.world.database,
    `select merchant_id from pocket where id = $1`,
    [bobs?.pocket.id ?? ''],
  );
  bobsId = merchantId;

  await restored.takeBackup();
  // Refused until the service has read the wallet's nonces from the chain.
  await eventually(async () => {
    const cancelling = ['cancel', cancelled.id, '--reason', 'the merchant asked for it'];
    expect(await restored.coffer('withdrawals', ...cancelling)).toMatchObject({ code: 0, err: '' });
    return true;
  }, WITHIN_MS);
  await forBob('freeze');
  await restored.release();
  lost = await restored.order(alice(), newDestination());
  const first = await sent(lost);
  await restored.completed(alice(), lost.id);
  await lab.mineByItself(false);
  await forBob('unfreeze');
  signed = { lost: first, standing: await sent(standing) };
  await restored.forget();
  // The node drops it too, while other nodes may still have it.
  await lab.testnet.node.send('anvil_dropTransaction', signed.standing.txHash);
  expect(await restored.coffer('treasury', 'restored', '--reason', 'restored to 03:00')).toMatchObject({ code: 0 });
  await restored.live();
}, 120_000);
afterAll(() => restored.close());

describe('after a restore of a database without the order of a payment [H-106] [I-113]', () => {
  it('nothing is signed, and the payment is refused, because it fits no order', async () => {
    await eventually(async () => {
      const { code, out } = await restored.coffer('treasury', 'unrecorded', '--network', 'bnb');
      expect(code).toBe(1);
      // Final once the listener has read the blocks again.
      expect(out).toMatch(/^0 +final +unrecorded$/m);
      return true;
    }, WITHIN_MS);
    const frozen = await restored.unfreeze();
    expect(frozen).toMatchObject({ code: 1, err: expect.stringContaining('with the nonces 0. Adopt them first') });
    const { code: refused, err } = await restored.adopt(signed.lost.txHash);
    expect(refused).toBe(1);
    expect(err).toContain(
      `It sends 10 USDC to ${lost.destination.toLowerCase()}. No withdrawal or refund order matches this transaction.`,
    );
    expect(err).toContain('or record a loss with --as-loss');
    expect(await query(restored.database, `select from chain_transaction`)).toEqual([]);
  });

  it('an operator has it booked as a loss, once, to the receivable account', async () => {
    const pocket = await pocketOn(alice(), 'bnb');
    const adopted = await restored.adopt(signed.lost.txHash, '--as-loss');
    expect(adopted).toMatchObject({ code: 0, err: '' });
    expect(adopted.out).toMatch(/^ADOPTED: nonce 0, ctx_\w+, for loss los_/);
    const again = await restored.adopt(signed.lost.txHash, '--as-loss');
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('already in the books') });
    await restored.whileFinal(async () => (await statusOf(signed.lost.txHash)) === 'succeeded');
    expect(await claimed()).toBe(-TEN_DOLLARS);
    expect(await pocketOn(alice(), 'bnb')).toEqual(pocket);
    await expectBooksInOrder(restored.database);
  });

  it('the unfrozen wallet signs the waiting withdrawal with the next nonce, including one whose cancellation was lost', async () => {
    // Staff know that the payment may still be mined.
    await forBob('freeze');
    expect(await restored.unfreeze()).toMatchObject({ code: 0, out: expect.stringContaining('signs again') });
    await sent(cancelled);
    expect(await payoutOf(restored.database, cancelled.id)).toMatchObject({ nonce: 1, status: 'signed' });
    expect(await payoutOf(restored.database, standing.id)).toBeNull();
  });
});

describe('when an unrecorded payment is mined with a nonce that was assigned again [H-106] [I-113]', () => {
  it('nothing more is signed, the nonce is shown, and the payment is refused while our transaction is not superseded', async () => {
    const { lab, database } = restored;
    const { node, controls } = lab.testnet;
    await holdBack(database);
    await node.send('anvil_dropTransaction', (await sent(cancelled)).txHash);
    await node.send('eth_sendRawTransaction', signed.standing.raw);
    await controls.mine();
    await restored.whileFinal(async () => (await restored.frozenReason())?.startsWith('Nonce 1 of the hot wallet'));
    later = await restored.order(carol(), newDestination());
    const { out } = await restored.coffer('treasury', 'unrecorded', '--network', 'bnb');
    expect(out).toMatch(new RegExp(`^1 +final +another version of ctx_\\w+, for ${cancelled.id}$`, 'm'));
    const frozen = await restored.unfreeze();
    expect(frozen).toMatchObject({ code: 1, err: expect.stringContaining('with the nonces 1. Adopt them first') });
    const refused = await restored.adopt(signed.standing.txHash);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Nonce 1 belongs to ctx_') });
    expect(await payoutOf(database, later.id)).toBeNull();
  });

  it('it is adopted for its order by --supersede, and the order of our transaction waits unsigned until staff cancel it', async () => {
    const { database } = restored;
    const before = await pocketOn(alice(), 'bnb');
    const adopted = await restored.adopt(signed.standing.txHash, '--supersede');
    expect(adopted).toMatchObject({ code: 0, err: '' });
    expect(adopted.out).toMatch(new RegExp(`^ADOPTED: nonce 1, ctx_\\w+, for withdrawal ${standing.id}`));
    expect(await getWithdrawal(alice(), cancelled.id)).toMatchObject({ status: 'broadcasting', tx_hash: null });
    expect(await pocketOn(alice(), 'bnb')).toEqual(before);
    const completed = await restored.completed(bob(), standing.id);
    expect(completed.tx_hash).toBe(signed.standing.txHash);
    const cancelling = ['cancel', cancelled.id, '--reason', 'the merchant asked for it before the restore'];
    expect(await restored.coffer('withdrawals', ...cancelling)).toMatchObject({ code: 0, err: '' });
    expect(await getWithdrawal(alice(), cancelled.id)).toMatchObject({ status: 'failed', failure_code: 'cancelled' });
    const charged = cancelled.amount_cents + cancelled.network_fee_cents;
    expect(await pocketOn(alice(), 'bnb')).toMatchObject({
      available_cents: before.available_cents + charged,
      held_cents: before.held_cents - charged,
    });
    expect(await withdrawalEvents(database, cancelled.id)).toEqual(['withdrawal.failed']);
    expect(await withdrawalEvents(database, standing.id)).toEqual(['withdrawal.completed']);
  });

  it('signing continues; each was paid at most once on the chain, and the books are in order', async () => {
    const { lab, database } = restored;
    await lab.mineByItself(true);
    await forBob('unfreeze');
    expect(await restored.unfreeze()).toMatchObject({ code: 0, out: expect.stringContaining('signs again') });
    const paid = await restored.completed(carol(), later.id);
    expect(await payoutOf(database, later.id)).toMatchObject({ nonce: 2, status: 'succeeded' });
    const arrived = (withdrawal: WithdrawalObject) => lab.arrivals(withdrawal.destination);
    expect(await arrived(cancelled)).toEqual([]);
    expect(await arrived(lost)).toEqual([{ txHash: signed.lost.txHash, amount: TEN_DOLLARS }]);
    expect(await arrived(standing)).toEqual([{ txHash: signed.standing.txHash, amount: TEN_DOLLARS }]);
    expect(await arrived(later)).toEqual([{ txHash: paid.tx_hash, amount: TEN_DOLLARS }]);
    expect(await lab.sentByHotWallet()).toBe(3);
    await expectBooksInOrder(database);
    await expectPayoutsInOrder(database);
    const { code, out } = await restored.coffer('verify');
    expect({ code, broken: out.match(/BROKEN.*|NOT ASKED.*bnb.*/g) }).toEqual({ code: 0, broken: null });
  });
});
