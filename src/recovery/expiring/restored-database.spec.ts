import { backupOf, restore } from '../../../test/support/restored-database.js';
import { SolanaAdoptionScene } from '../../../test/support/solana-adoption-scene.js';
import { SolanaSweepScene } from '../../../test/support/solana-sweep-scene.js';
import { withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import { associatedTokenAccount } from '../../chains/solana/token-account.js';
import { UnrecordedSent } from './unrecorded-sent.service.js';

const DOLLAR = 1_000_000n;
const SOL = 1_000_000_000n;

describe('a database that is restored to before its payments [H-106]', () => {
  let scene: SolanaAdoptionScene;
  beforeAll(async () => {
    scene = await SolanaAdoptionScene.open();
  });
  afterAll(() => scene.close());

  it('has them all again once they are adopted: a withdrawal, a refund and one that failed, and pays none twice', async () => {
    const { payouts } = scene;
    const owner = payouts.base.db.owner;
    const [payer, poor, next] = await payouts.merchants(3);
    if (payer === undefined || poor === undefined || next === undefined) throw new Error('There are merchants.');
    const frozen = await payouts.freshAddress();
    await payouts.lab.controls.fund({ owner: frozen, token: 'USDC', amount: DOLLAR });
    await payouts.makeFinal();
    const paid = await payouts.order(payer);
    const failing = await payouts.order(poor, { destination: frozen });
    const refund = await scene.refund();
    const backup = await backupOf(owner);
    await payouts.sign();
    await payouts.vaultRole.refunds.signWaiting(payouts.vault);
    await payouts.lab.controls.freeze(await associatedTokenAccount(frozen, payouts.base.mints.USDC));
    await payouts.lab.controls.mine();
    await payouts.finish();
    const outcomes = () =>
      payouts.query(
        `select id, status, failure_code, tx_hash from withdrawal union all
         select id, status, failure_code, tx_hash from deposit_return order by id`,
      );
    const before = await outcomes();
    expect(before).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ id: paid.id, status: 'completed' }),
        expect.objectContaining({ id: failing.id, status: 'failed', failure_code: 'transaction_reverted' }),
        expect.objectContaining({ id: refund, status: 'completed' }),
      ]),
    );
    const sent = await payouts.sent();
    const balances = await Promise.all([payouts.availableTo(payer), payouts.availableTo(poor)]);

    await payouts.base.stopListening();
    await restore(owner, backup);
    expect(await scene.sentFor(paid.id)).toEqual([]);
    await scene.restart();
    const unrecorded = await new UnrecordedSent(payouts.database).idsOn(await scene.chain());
    expect(new Set(unrecorded)).toEqual(new Set(sent));
    for (const txHash of unrecorded) expect(await scene.adopt(txHash)).toMatchObject({ isNew: true });
    await scene.goOn(next);
    expect((await outcomes()).slice(0, before.length)).toEqual(before);
    expect(await withdrawalEvents(payouts.database, paid.id)).toContain('withdrawal.completed');
    expect(await Promise.all([payouts.availableTo(payer), payouts.availableTo(poor)])).toEqual(balances);
    // The payment of the last order alone is new.
    expect(await payouts.sent()).toHaveLength(sent.length + 1);
  });
});

describe('a database that is restored to before a sweep [H-106]', () => {
  it('has it again once it is adopted: with its rent, and its balances are not swept twice', async () => {
    const scene = await SolanaSweepScene.open();
    try {
      const { owner } = scene.scene.db;
      const { address } = await scene.paid('USDC', 25n * DOLLAR);
      await scene.paid('USDC', 26n * DOLLAR);
      const backup = await backupOf(owner);
      const [swept] = await scene.sweep();
      expect(swept).toMatchObject({ status: 'succeeded', swept: expect.arrayContaining([String(25n * DOLLAR)]) });
      const facts = () =>
        Promise.all([
          scene.query(`select amount, height from returned_rent`),
          scene.query(`select received, swept from deposit_balance order by address_id`),
          scene.query(`select mined_hash, mined_height, fee_paid, status, nonce from chain_transaction`),
        ]);
      const before = await facts();

      await scene.scene.stopListening();
      await restore(owner, backup);
      scene.scene.listen();
      await scene.worker.checkSent();
      const [sent] = (await scene.client.sentBy(scene.hotWallet, 0)).sent;
      await scene.adopt(sent?.txHash ?? '');
      await scene.confirm();
      expect(await facts()).toEqual(before);
      await scene.query(`update hot_wallet set frozen_reason = null`);
      expect(await scene.plan()).toEqual([]);
      expect(await scene.compare()).toEqual([String(10n * SOL)]);
      expect(await scene.brokenRules()).toEqual([]);
      expect((await scene.holds(address))[0]).toBe(0n);
    } finally {
      await scene.close();
    }
  });
});
