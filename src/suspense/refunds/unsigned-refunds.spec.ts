import { Transaction, Wallet } from 'ethers';
import { alteredVault } from '../../../test/support/altered-vault.js';
import { listExactly } from '../../../test/support/listed-senders.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { RefundScene, type SceneRefund } from '../../../test/support/refund-scene.js';
import { query } from '../../../test/support/sql.js';
import { listAddress } from '../../../test/support/listed-address.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { readTransferCall } from '../../chains/evm/transfer-call.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import type { Vault } from '../../vault/vault.js';
import { RefundOperations } from './refund-operations.service.js';
import type { RefundWaitingReason } from './refund-standing.js';

const UNITS = 25_000_000n;
const THIEF = `0x${'66'.repeat(20)}`;

let scene: RefundScene;

beforeAll(async () => {
  scene = await RefundScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  scene.chain = await scene.payouts.addChain('polygon');
});

const setWallet = (change: string): Promise<unknown> =>
  query(scene.database, `update hot_wallet set ${change} where chain_ref = $1`, [scene.chain.chainRef]);
const setCursor = (change: string): Promise<unknown> =>
  query(scene.database, `update chain_cursor set ${change} where chain_ref = $1`, [scene.chain.chainRef]);
const sign = ({ id }: SceneRefund, vault: Vault = scene.vault): Promise<RefundWaitingReason | null> =>
  scene.signer.sign(vault, id);

/** The transactions that the vault signed for it. */
const signedFor = ({ id }: SceneRefund) =>
  query<{ raw_transaction: string; amount: string; token_contract: string; nonce: string }>(
    scene.database,
    `select attempt.raw_transaction, sent.amount, sent.token_contract, sent.nonce from chain_transaction sent
       join transaction_attempt attempt on attempt.transaction_id = sent.id
      where purpose = 'deposit_return' and purpose_id = $1 order by number`,
    [id],
  );

/** Asserts that it waits for this reason, unsigned, with the deposit where it was. */
async function expectWaiting(order: SceneRefund, reason: RefundWaitingReason): Promise<void> {
  expect(await sign(order)).toBe(reason);
  expect(await scene.facts(order.id)).toMatchObject({ waitingReason: reason, isSigned: false, heldAs: 'returning' });
  expect(await signedFor(order)).toEqual([]);
}

it('the whole deposit is signed once, with one verdict and one nonce, however many signers run [I-108]', async () => {
  const order = await scene.anOrder();
  expect(await Promise.all([sign(order), sign(order), sign(order)])).toEqual([null, null, null]);
  expect(await sign(order)).toBeNull();
  const [signed, ...more] = await signedFor(order);
  expect(more).toEqual([]);
  const { to, value, data } = Transaction.from(signed?.raw_transaction ?? '');
  expect(readTransferCall({ to: to ?? '', value, data })).toEqual({
    token: scene.chain.contract,
    recipient: order.destination.toLowerCase(),
    amount: UNITS,
  });
  expect(signed).toMatchObject({ amount: `${UNITS}`, token_contract: scene.chain.contract, nonce: '0' });
  expect(await scene.facts(order.id)).toMatchObject({ isSigned: true, waitingReason: null, heldAs: 'returning' });
  const verdicts = await query(
    scene.database,
    `select purpose, verdict, attempt from vault_audit where purpose_id = $1`,
    [order.id],
  );
  expect(verdicts).toEqual([{ purpose: 'deposit_return', verdict: 'signed', attempt: 1 }]);
  const [wallet] = await query(scene.database, `select next_nonce from hot_wallet where chain_ref = $1`, [
    scene.chain.chainRef,
  ]);
  expect(wallet).toEqual({ next_nonce: '1' });
});

it("a refund in the chain's own coin is a plain transfer, and waits until the wallet holds its gas as well", async () => {
  const amount = 3n * 10n ** 18n;
  const order = await scene.anOrder(undefined, await scene.aDeposit({ contract: NATIVE_COIN, amount }));
  await scene.payouts.hold(0n, amount, scene.chain);
  await expectWaiting(order, 'coins_missing');
  await scene.payouts.hold(0n, 2n * amount, scene.chain);
  expect(await sign(order)).toBeNull();
  const [signed] = await signedFor(order);
  const { to, value, data } = Transaction.from(signed?.raw_transaction ?? '');
  expect({ to: to?.toLowerCase(), value, data }).toEqual({
    to: order.destination.toLowerCase(),
    value: amount,
    data: '0x',
  });
});

describe('a refund waits, and is signed automatically later', () => {
  it.each<[reason: RefundWaitingReason, begin: () => Promise<unknown>, end: () => Promise<unknown>]>([
    ['coins_missing', () => scene.payouts.hold(UNITS - 1n, 10n ** 21n, scene.chain), () => fill()],
    ['gas_missing', () => scene.payouts.hold(UNITS, 10n, scene.chain), () => fill()],
    ['wallet_frozen', () => setWallet(`frozen_reason = 'asked for'`), () => setWallet('frozen_reason = null')],
    ['chain_halted', () => setCursor(`halted_reason = 'x'`), () => setCursor('halted_reason = null')],
    ['balance_unknown', () => setWallet('chain_nonce = null'), () => setWallet('chain_nonce = 0')],
  ])('while %s', async (reason, begin, end) => {
    const order = await scene.anOrder();
    await begin();
    await expectWaiting(order, reason);
    await end();
    await scene.signer.signWaiting(scene.vault);
    expect(await scene.facts(order.id)).toMatchObject({ isSigned: true, waitingReason: null });
  });

  it('while its deposit is reorged, even when staff unfreeze the wallet [F-64]', async () => {
    const order = await scene.anOrder();
    const setReorged = (value: string): Promise<unknown> =>
      query(scene.database, `update deposit set gone_at = ${value} where id = $1`, [order.depositId]);
    await setReorged('now()');
    await expectWaiting(order, 'deposit_gone');
    await setReorged('null');
    expect(await sign(order)).toBeNull();
  });

  const fill = (): Promise<void> => scene.payouts.hold(10n ** 12n, 10n ** 21n, scene.chain);
});

it('a signature and a cancellation at the same moment: exactly one of them succeeds [I-111]', async () => {
  const operations = new RefundOperations(new LedgerService(), scene.outcomes);
  const orders = await Promise.all(Array.from({ length: 12 }, () => scene.anOrder()));
  for (const order of orders) {
    const { id } = order;
    const staff = { actor: 'a test', reason: 'none' };
    const cancelled = scene.database
      .transaction((tx) => operations.cancel(tx, id, staff, []))
      .then(
        () => true,
        () => false,
      );
    await Promise.all([sign(order), cancelled]);
    const isCancelled = await cancelled;
    expect(await scene.facts(id)).toMatchObject({
      status: isCancelled ? 'failed' : 'broadcasting',
      heldAs: isCancelled ? 'suspense' : 'returning',
      isSigned: !isCancelled,
    });
    expect(await signedFor(order)).toHaveLength(isCancelled ? 0 : 1);
  }
});

it('a row without a booking is not an order [I-125]', async () => {
  const depositId = await scene.aDeposit();
  await query(
    scene.database,
    `insert into deposit_return (id, deposit_id, destination, destination_key, status)
     values ('ret_forged', $1, $2, $2, 'broadcasting')`,
    [depositId, THIEF],
  );
  const forged = { id: 'ret_forged', depositId, destination: THIEF };
  expect(await sign(forged)).toBe('not_booked');
  // Nor is a second row beside an existing order.
  await query(scene.database, `update deposit set held_as = 'returning' where id = $1`, [depositId]);
  expect(await sign(forged)).toBe('not_booked');
  expect(await signedFor(forged)).toEqual([]);
});

it('an address that was listed since is not paid: the deposit is in suspense again, and the refusal is recorded [I-120]', async () => {
  const order = await scene.anOrder();
  await listAddress(scene.database, order.destination);
  // An unrecorded transaction may have paid it already.
  await setWallet('chain_nonce = 1');
  await expectWaiting(order, 'wallet_frozen');
  await setWallet('chain_nonce = 0, frozen_reason = null');
  expect(await sign(order)).toBeNull();
  expect(await scene.facts(order.id)).toEqual({
    status: 'failed',
    waitingReason: null,
    isSigned: false,
    failureCode: 'address_blocked',
    txHash: null,
    heldAs: 'suspense',
    balances: { chain: `-${UNITS}`, suspense: `${UNITS}` },
  });
  const verdicts = await query(scene.database, `select verdict, reason from vault_audit where purpose_id = $1`, [
    order.id,
  ]);
  expect(verdicts).toEqual([{ verdict: 'refused', reason: 'address_blocked' }]);
});

it('a signed transaction that does not match the order is not stored, and the wallet is frozen [I-125]', async () => {
  const order = await scene.anOrder();
  const rogue = alteredVault(scene.vault, (asked) => ({
    ...asked,
    data: asked.data.replace(order.destination.slice(2).toLowerCase(), THIEF.slice(2)),
  }));
  expect(await sign(order, rogue)).toBe('wallet_frozen');
  expect(await signedFor(order)).toEqual([]);
  const [wallet] = await query<{ frozen_reason: string }>(
    scene.database,
    `select frozen_reason from hot_wallet where chain_ref = $1`,
    [scene.chain.chainRef],
  );
  const verdicts = await query(scene.database, `select verdict, reason from vault_audit where purpose_id = $1`, [
    order.id,
  ]);
  expect(verdicts).toEqual([{ verdict: 'refused', reason: wallet?.frozen_reason }]);
});

it('a refund that the vault fails to sign delays no other, and is signed at the next try', async () => {
  const failing = await scene.anOrder(new Wallet(`0x${'57'.repeat(32)}`).address);
  const fine = await scene.anOrder();
  const faulty = alteredVault(scene.vault, (asked) => {
    if (asked.data.includes(failing.destination.slice(2).toLowerCase())) throw new Error('The vault is at a loss.');
    return asked;
  });
  await scene.signer.signWaiting(faulty);
  expect([await scene.facts(failing.id), await scene.facts(fine.id)]).toMatchObject([
    { isSigned: false, waitingReason: null },
    { isSigned: true },
  ]);
  await scene.signer.signWaiting(scene.vault);
  expect(await scene.facts(failing.id)).toMatchObject({ isSigned: true });
});

it('a stuck refund is not replaced when its destination was listed since, and the audit records why [I-120]', async () => {
  const order = await scene.anOrder();
  await sign(order);
  await query(scene.database, `update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, [
    order.id,
  ]);
  await listExactly(scene.database, order.destination);
  await vaultServices(scene.database, new RecordingQueue().queue).replacements.signWanted(scene.vault);
  const verdicts = await query(
    scene.database,
    `select verdict, reason from vault_audit where purpose_id = $1 order by id`,
    [order.id],
  );
  expect(verdicts).toEqual([
    { verdict: 'signed', reason: null },
    { verdict: 'refused', reason: 'address_blocked' },
  ]);
});
