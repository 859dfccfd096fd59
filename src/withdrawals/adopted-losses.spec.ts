import { Wallet } from 'ethers';
import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { forEveryPurpose } from '../../test/support/outcomes.js';
import type { Ordered, OrderTraits } from '../../test/support/payout-scene.js';
import { BOOKING_CHECKS } from '../auditor/booking-checks.js';
import { SIGNED_PAYMENTS_CHECK } from '../auditor/signed-payments.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { createLogger } from '../platform/logging.js';
import { LossEndings } from '../treasury/loss-endings.service.js';
import { TransactionEndings } from '../treasury/transaction-endings.service.js';

let scene: AdoptionScene;
/** Nobody else is paid there. */
let destination: string;

beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());
beforeEach(() => {
  destination = Wallet.createRandom().address.toLowerCase();
});

const ordered = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.payouts.order(await scene.payouts.merchant(), { destination, ...traits });

describe('a payment of which the order is lost', () => {
  const LOSS = { asLoss: true };
  const setFinal = (height: number) =>
    scene.payouts.database.query(`update chain_cursor set finalized_height = $2 where chain_ref = $1`, [
      scene.chain.chainRef,
      height,
    ]);
  const broken = async () => {
    const rules = [...BOOKING_CHECKS, SIGNED_PAYMENTS_CHECK].filter(({ name }) =>
      ['losses_are_booked', 'gas_is_booked', 'kinds_are_known', 'payments_are_ordered'].includes(name),
    );
    const found = [];
    for (const rule of rules) found.push(await scene.payouts.database.transaction((tx) => rule.find(tx)));
    return found.filter((finding) => finding !== null);
  };
  beforeEach(() => {
    scene.minedAt = new Date();
  });

  it('is taken in as a loss once it is final, by the word of an operator, and is ours to claim [H-106]', async () => {
    const nonce = await scene.nextNonce();
    const hash = await scene.payment(destination);
    await expect(scene.adopt(hash)).rejects.toThrow('No withdrawal or return waits for it.');
    await expect(scene.adopt(hash, null, LOSS)).rejects.toThrow('It is not final yet');
    await setFinal(AdoptionScene.minedHeight);
    const { purposeId, transactionId, ...adopted } = await scene.adopt(hash, null, LOSS);
    expect(adopted).toEqual({ isNew: true, nonce, purpose: 'loss' });
    expect(await scene.nextNonce()).toBe(nonce + 1);
    expect(await scene.adopt(hash, null, LOSS)).toMatchObject({ purposeId, isNew: false });
    const [audit] = await scene.payouts.database.query(`select action, details from audit_entry where subject = $1`, [
      purposeId,
    ]);
    const loss = `It sends 25 USDC to ${destination}.`;
    expect(audit).toMatchObject({ action: 'transaction.adopt', details: { hash, loss } });
    expect(await broken()).toEqual([]);

    const ledger = new LedgerService();
    const outcomes = forEveryPurpose(new LossEndings(ledger));
    const { chainRef } = scene.chain;
    const open = { id: transactionId, chainRef, purpose: 'loss', sender: '', nonce, hashes: [hash] } as const;
    const receipt = {
      txHash: hash,
      blockHash: '0x01',
      height: AdoptionScene.minedHeight,
      succeeded: true,
      gasUsed: 1n,
      effectiveGasPrice: 1n,
      logs: [],
    };
    const endings = new TransactionEndings(scene.payouts.database, ledger, outcomes, createLogger('silent'));
    for (let twice = 0; twice < 2; twice++) await endings.end(open, receipt);
    const legs = await scene.payouts.database.query(
      `select account.kind, account.asset, posting.amount from entry join posting on posting.entry_id = entry.id
         join account on account.id = posting.account_id where entry.reference = $1 order by account.kind`,
      [`loss:${purposeId}`],
    );
    const asset = `polygon:${scene.payouts.chain.contract}`;
    expect(legs).toEqual([
      { kind: 'chain', asset, amount: '25000000' },
      { kind: 'receivable', asset, amount: '-25000000' },
    ]);
    expect(await broken()).toEqual([]);
  });

  it('is no loss while an order may have asked for it', async () => {
    await setFinal(AdoptionScene.minedHeight);
    const { id } = await ordered({ minutesAgo: 5 });
    const hash = await scene.payment(destination);
    expect(await scene.adopt(hash, null, LOSS)).toMatchObject({ purpose: 'withdrawal', purposeId: id });
    const [first, second] = [await ordered({ minutesAgo: 5 }), await ordered({ minutesAgo: 5 })];
    await expect(scene.adopt(await scene.payment(destination), null, LOSS)).rejects.toThrow(
      `Several orders wait for this payment: ${first.id}, ${second.id}`,
    );
  });

  it('is signed for by no vault: the database takes the word of an operator alone', async () => {
    const verdict = scene.payouts.database.query(
      `insert into vault_audit (transaction_id, attempt, purpose, purpose_id, verdict, tx_hash, fields)
       values ('ctx_1', 1, 'loss', 'los_1', 'signed', '0x01', '{}')`,
    );
    await expect(verdict).rejects.toThrow('vault_audit_loss_check');
  });
});
