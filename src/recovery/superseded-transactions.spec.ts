import { Wallet } from 'ethers';
import { AdoptionScene } from '../../test/support/adoption-scene.js';
import type { Ordered, OrderTraits } from '../../test/support/payout-scene.js';
import { RefundScene } from '../../test/support/refund-scene.js';
import { query } from '../../test/support/sql.js';
import { listAddress } from '../../test/support/listed-address.js';
import { withdrawalOperationsOn } from '../../test/support/withdrawal-operations.js';
import { withdrawalEvents } from '../../test/withdrawals/payouts.js';
import { checkRules } from '../auditor/books-verification.js';
import { transferCall } from '../chains/evm/transfer-call.js';

const SUPERSEDE = { supersede: true };
const LOSS = { supersede: true, asLoss: true };
const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };

let scene: AdoptionScene;
/** A destination that only this file pays. */
let destination: string;

beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  destination = newDestination();
  scene.minedAt = new Date();
  await scene.setFinal();
  await scene.unfreeze();
});

const newDestination = (): string => Wallet.createRandom().address.toLowerCase();
const ordered = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.payouts.order(await scene.payouts.merchant(), { minutesAgo: 5, ...traits });
const sign = ({ id }: Ordered) => scene.payouts.signer.sign(scene.payouts.vault, id);
/** A payment of 25 dollars that was mined, although its nonce was assigned again here since. */
const unrecorded = async (recipient = destination, nonce?: number, gasLimit = 100_000n): Promise<string> =>
  scene.signed({
    ...transferCall({ token: scene.payouts.chain.contract, recipient, amount: 25_000_000n }),
    nonce: nonce ?? (await scene.nextNonce()) - 1,
    gasLimit,
  });
/** Rules of the books that the scene itself breaks: it fills its pockets without deposits. */
const UNHELD = ['deposits_are_booked', 'chain_owes_what_lies_there'];
const broken = () =>
  scene.payouts.database.transaction(async (tx) => {
    const { rules } = await checkRules(tx);
    return rules.flatMap(({ name, finding }) => (finding === null || UNHELD.includes(name) ? [] : [[name, finding]]));
  });
const sentFor = ({ id }: { readonly id: string }) =>
  scene.payouts.query<{ status: string; nonce: string }>(
    `select status, nonce from chain_transaction where purpose_id = $1 order by nonce, status`,
    [id],
  );
const withdrawal = async ({ id }: Ordered) => {
  const [row] = await scene.payouts.query(
    `select status, signed_at is not null as is_signed, tx_hash from withdrawal where id = $1`,
    [id],
  );
  return row;
};
const WAITS = { status: 'broadcasting', is_signed: false, tx_hash: null };

describe('a transaction whose nonce the chain used for another one', () => {
  it('ends, and its order waits for a new signature once the wallet is unfrozen [H-106]', async () => {
    const paid = await ordered({ destination });
    const second = await ordered();
    await sign(second);
    await scene.payouts.query(`update withdrawal set tx_hash = '0xdead' where id = $1`, [second.id]);
    const [next, hash] = [await scene.nextNonce(), await unrecorded()];
    await expect(scene.adopt(hash)).rejects.toThrow('--supersede adopts it instead.');
    const adopted = await scene.adopt(hash, null, SUPERSEDE);
    expect(adopted).toMatchObject({ isNew: true, nonce: next - 1, purpose: 'withdrawal', purposeId: paid.id });
    const nonce = String(next - 1);
    expect(await sentFor(second)).toEqual([{ status: 'superseded', nonce }]);
    expect(await sentFor(paid)).toEqual([{ status: 'signed', nonce }]);
    expect(await withdrawal(second)).toEqual(WAITS);
    expect(await withdrawalEvents(scene.payouts.database, second.id)).toEqual([]);
    expect(await scene.adopt(hash, null, SUPERSEDE)).toMatchObject({ isNew: false });
    expect(await sign(second)).toBe('wallet_frozen');
    expect(await broken()).toEqual([]);
    await scene.unfreeze();
    expect(await sign(second)).toBeNull();
    expect(await sentFor(second)).toEqual([
      { status: 'superseded', nonce },
      { status: 'signed', nonce: String(next) },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('was for an order that the next unrecorded nonce has paid: that one is adopted for it, and nothing is refunded [H-106]', async () => {
    const order = await ordered({ destination });
    const nonce = await scene.nextNonce();
    const [lost, paid] = [await unrecorded(newDestination(), nonce), await unrecorded(destination, nonce + 1)];
    await sign(order);
    await expect(scene.adopt(paid)).rejects.toThrow(`${order.id} asked for the same, and what was signed for it`);
    expect(await scene.adopt(lost, null, LOSS)).toMatchObject({ purpose: 'loss', nonce });
    expect(await withdrawal(order)).toEqual(WAITS);
    expect(await sign(order)).toBe('wallet_frozen');
    expect(await scene.adopt(paid)).toMatchObject({ purposeId: order.id, nonce: nonce + 1 });
    expect(await broken()).toEqual([]);
  });

  it('was for the same order that the unrecorded one paid with another gas limit: there is no loss [H-106]', async () => {
    const order = await ordered({ destination });
    await sign(order);
    expect(await scene.adopt(await unrecorded(), null, LOSS)).toMatchObject({ purposeId: order.id });
    const nonce = String((await scene.nextNonce()) - 1);
    expect(await sentFor(order)).toEqual([
      { status: 'signed', nonce },
      { status: 'superseded', nonce },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('is ended by naming both unrecorded ones at once when they paid each other’s orders [H-106]', async () => {
    const [one, other] = [await ordered({ destination }), await ordered({ destination: newDestination() })];
    const nonce = await scene.nextNonce();
    await sign(other);
    await sign(one);
    const [{ destination_key: there } = { destination_key: '' }] = await scene.payouts.query<{
      destination_key: string;
    }>(`select destination_key from withdrawal where id = $1`, [other.id]);
    const hashes = [await unrecorded(there, nonce + 1), await unrecorded(destination, nonce)];
    for (const hash of hashes)
      await expect(scene.adopt(hash, null, LOSS)).rejects.toThrow('name that transaction as well, with --supersede');
    expect(await scene.adoptAll(hashes, SUPERSEDE)).toMatchObject([
      { nonce, purposeId: one.id },
      { nonce: nonce + 1, purposeId: other.id },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('is ended together with those after it, or not at all: several unrecorded ones are adopted by their nonces', async () => {
    const [holder, paid] = [await ordered(), await ordered({ destination })];
    await sign(holder);
    const next = await scene.nextNonce();
    const [lost, later] = [await unrecorded(newDestination()), await unrecorded(destination, next)];
    const ahead = await unrecorded(newDestination(), next + 2);
    await expect(scene.adoptAll([lost, later, ahead], LOSS)).rejects.toThrow(`nonce ${next + 1} comes first`);
    expect(await sentFor(holder)).toMatchObject([{ status: 'signed' }]);
    expect(await scene.adoptAll([later, lost], LOSS)).toMatchObject([
      { nonce: next - 1, purpose: 'loss' },
      { nonce: next, purposeId: paid.id },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('is cancelled only by staff, once every transaction is recorded', async () => {
    const order = await ordered();
    await sign(order);
    await scene.adopt(await unrecorded(), null, LOSS);
    const cancel = (unknown: readonly number[]) =>
      scene.payouts.database.transaction((tx) =>
        withdrawalOperationsOn(scene.payouts.database).cancel(tx, order.id, STAFF, unknown),
      );
    await expect(cancel([7])).rejects.toThrow('one of them may have paid it');
    await cancel([]);
    expect(await withdrawal(order)).toMatchObject({ status: 'failed', tx_hash: null });
    expect(await withdrawalEvents(scene.payouts.database, order.id)).toEqual(['withdrawal.failed']);
    expect(await broken()).toEqual([]);
  });

  it('is not refunded while the wallet is frozen, though its destination was listed since', async () => {
    const order = await ordered({ destination });
    await sign(order);
    await scene.adopt(await unrecorded(newDestination()), null, LOSS);
    await listAddress(scene.payouts.database, destination);
    expect(await sign(order)).toBe('wallet_frozen');
    expect(await withdrawal(order)).toEqual(WAITS);
  });
});

it('a refund waits again, and is signed again unless another unrecorded transaction paid it', async () => {
  const refunds = await RefundScene.open(scene.payouts);
  const order = await refunds.anOrder(destination);
  const nonce = await scene.nextNonce();
  await refunds.signer.sign(refunds.vault, order.id);
  const [lost, paid] = [await unrecorded(newDestination(), nonce), await unrecorded(destination, nonce + 1)];
  await expect(scene.adopt(lost, null, SUPERSEDE)).rejects.toThrow(
    'No withdrawal or refund order matches this transaction.',
  );
  expect(await sentFor(order)).toMatchObject([{ status: 'signed' }]);
  expect(await scene.adopt(lost, null, LOSS)).toMatchObject({ purpose: 'loss' });
  expect(await refunds.facts(order.id)).toMatchObject({ status: 'broadcasting', isSigned: false, heldAs: 'returning' });
  expect(await broken()).toEqual([]);
  scene.minedAt = new Date(Date.now() + 60_000);
  expect(await scene.adopt(paid)).toMatchObject({ purpose: 'deposit_return', purposeId: order.id });
  await refunds.ends(order.id, true);
  expect(await refunds.facts(order.id)).toMatchObject({ status: 'completed', heldAs: null, balances: {} });
});

it('a transaction is not superseded before the other one is final, nor while a node has mined it', async () => {
  const order = await ordered();
  await sign(order);
  await ordered({ destination });
  const hash = await unrecorded();
  await scene.setFinal(AdoptionScene.minedHeight - 1);
  await expect(scene.adopt(hash, null, SUPERSEDE)).rejects.toThrow('It is not final yet');
  await scene.setFinal();
  const [{ raw_transaction: raw } = { raw_transaction: '' }] = await scene.payouts.query<{
    raw_transaction: string;
  }>(
    `select raw_transaction from transaction_attempt join chain_transaction on id = transaction_id where purpose_id = $1`,
    [order.id],
  );
  scene.publish(raw);
  await expect(scene.adopt(hash, null, SUPERSEDE)).rejects.toThrow('The nodes do not agree');
  expect(await sentFor(order)).toMatchObject([{ status: 'signed' }]);
});

describe('the database refuses', () => {
  it('to supersede a transaction without an audit entry, and to reopen an order whose transaction is not superseded', async () => {
    const order = await ordered();
    await sign(order);
    const { database } = scene.payouts;
    const alone = `update chain_transaction set status = 'superseded', finished_at = now() where purpose_id = $1`;
    await expect(query(database, alone, [order.id])).rejects.toThrow('nobody decided that');
    const reopened = `update withdrawal set signed_at = null, tx_hash = null where id = $1`;
    await expect(query(database, reopened, [order.id])).rejects.toThrow('a withdrawal keeps its terms');
  });

  it('a second transaction of one order, unless the first is superseded', async () => {
    const order = await ordered();
    await sign(order);
    const twice = scene.payouts.query(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status)
       select 'ctx_twice', chain_ref, purpose, purpose_id, sender, nonce + 1, destination, value, data, gas_limit,
              token_contract, amount, status from chain_transaction where purpose_id = $1`,
      [order.id],
    );
    await expect(twice).rejects.toThrow('chain_transaction_of_order');
  });
});
