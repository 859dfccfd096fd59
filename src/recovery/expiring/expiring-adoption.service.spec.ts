import { auditEntriesOf } from '../../../test/support/audit-entries.js';
import { SolanaAdoptionScene } from '../../../test/support/solana-adoption-scene.js';
import type { PaidMerchant } from '../../../test/support/solana-payout-scene.js';
import { withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import { NATIVE_COIN } from '../../domain/network.js';

let scene: SolanaAdoptionScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaAdoptionScene.open();
  merchants = [...(await scene.payouts.merchants(18))];
});
afterAll(() => scene.close());

function merchant(): PaidMerchant {
  const next = merchants.pop();
  if (next === undefined) throw new Error('No merchant is left.');
  return next;
}

const order = (destination?: string) =>
  scene.payouts.order(merchant(), destination === undefined ? {} : { destination });

/** Every row about the withdrawal that an adoption or a signature writes, without ids, fees and times. */
const rowsOf = (withdrawalId: string) =>
  scene.payouts.query<Record<string, unknown>>(
    `select sent.purpose, sent.sender, sent.value, sent.data, sent.token_contract, sent.amount,
            sent.status, sent.broadcast_at, attempt.number, attempt.sole_on, verdict.verdict, verdict.attempt,
            withdrawal.status as ends, withdrawal.waiting_reason, withdrawal.signed_at is not null as is_signed,
            sent.destination = withdrawal.destination_key as is_paid_to, verdict.tx_hash = attempt.tx_hash as is_accounted
       from withdrawal join chain_transaction sent on sent.purpose_id = withdrawal.id
       join transaction_attempt attempt on attempt.transaction_id = sent.id
       join vault_audit verdict on verdict.transaction_id = sent.id where withdrawal.id = $1`,
    [withdrawalId],
  );

describe('a payment that a restored database does not have [H-106]', () => {
  it('is adopted as the signer would have recorded it, completes its withdrawal, and is never made again', async () => {
    const { payouts } = scene;
    const byVault = await order();
    await payouts.sign();
    const signedRows = await rowsOf(byVault.id);
    await payouts.finish();
    const { id } = await order();
    const txHash = await scene.land(await scene.lostPayment(id));
    await scene.restart();
    const adopted = await scene.adopt(txHash);
    expect(adopted).toMatchObject({ isNew: true, purpose: 'withdrawal', purposeId: id });
    const recorded = await rowsOf(id);
    expect(recorded).toEqual(signedRows.map((row) => ({ ...row, verdict: 'adopted' })));
    expect(await auditEntriesOf(payouts.database, id)).toEqual([
      {
        actor: 'alice@vault-1',
        action: 'transaction.adopt',
        reason: 'restored to 03:00',
        details: { chain: payouts.chainRef, hash: txHash, transaction: adopted.transactionId },
      },
    ]);
    await scene.goOn(merchant());
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed', tx_hash: txHash });
    expect(await withdrawalEvents(payouts.database, id)).toContain('withdrawal.completed');
    expect(await scene.sentFor(id)).toEqual(['succeeded']);
  });

  it('is adopted once, also by two operators at the same moment', async () => {
    const { id } = await order();
    const txHash = await scene.land(await scene.lostPayment(id));
    await scene.restart();
    const outcomes = await Promise.all([scene.adopt(txHash), scene.adopt(txHash)]);
    expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1);
    const [first] = outcomes.filter(({ isNew }) => isNew);
    expect(await scene.adopt(txHash)).toEqual({ ...first, isNew: false });
    expect(await rowsOf(id)).toHaveLength(1);
    expect(await scene.payouts.query(`select from audit_entry where subject = $1`, [id])).toHaveLength(1);
    await scene.goOn(merchant());
    expect(await scene.adopt(txHash)).toMatchObject({ isNew: false });
  });

  it('is the payment of a refund', async () => {
    const id = await scene.refund();
    const txHash = await scene.land(await scene.lostPayment(id));
    await scene.restart();
    expect(await scene.adopt(txHash)).toMatchObject({ purpose: 'deposit_return', purposeId: id });
    await scene.goOn(merchant());
    const refunds = await scene.payouts.query(`select status, tx_hash from deposit_return where id = $1`, [id]);
    expect(refunds).toEqual([{ status: 'completed', tx_hash: txHash }]);
  });

  it('belongs to the order that the operator names when several wait for it', async () => {
    const destination = await scene.payouts.freshAddress();
    const [first, second] = [await order(destination), await order(destination)];
    const txHash = await scene.land(await scene.lostPayment(second.id));
    await scene.restart();
    await expect(scene.adopt(txHash)).rejects.toThrow(
      `It sends 1 USDC to ${destination}. Several orders wait for this payment: ${first.id}, ${second.id}. Name the right`,
    );
    const other = await order();
    await expect(scene.adopt(txHash, {}, other.id)).rejects.toThrow('does not wait for this payment');
    expect(await scene.adopt(txHash, {}, second.id)).toMatchObject({ purposeId: second.id });
    await scene.goOn(merchant());
    for (const { id } of [first, other]) expect(await scene.payouts.shown(id)).toMatchObject({ status: 'completed' });
    expect(await scene.sentFor(second.id)).toEqual(['succeeded']);
  });

  it('that failed fails its withdrawal as then, and costs its fee', async () => {
    const { payouts } = scene;
    const poor = merchant();
    const before = await payouts.availableTo(poor);
    const { id } = await payouts.order(poor);
    const txHash = await scene.land(await scene.lostPayment(id, 300));
    await scene.restart();
    expect(await scene.adopt(txHash)).toMatchObject({ purpose: 'withdrawal', purposeId: id });
    await scene.goOn(merchant());
    expect(await payouts.shown(id)).toMatchObject({ status: 'failed', failure_code: 'transaction_reverted' });
    expect(await payouts.availableTo(poor)).toBe(before);
    const [sent] = await payouts.payouts(id);
    expect(BigInt(sent?.fee_paid ?? 0)).toBeGreaterThan(0n);
  });

  it('is not adopted before it is in a final block, nor when another address sent it', async () => {
    const { id } = await order();
    const lost = await scene.lostPayment(id);
    await expect(scene.adopt(lost.txHash)).rejects.toThrow('No node of this chain has transaction');
    await scene.payouts.handOver(lost);
    await scene.payouts.lab.controls.mine();
    await expect(scene.adopt(lost.txHash)).rejects.toThrow('in a final block');
    const foreign = await scene.payouts.base.fund({ owner: scene.payouts.hotWallet, token: null, amount: 1_000_000n });
    await scene.payouts.makeFinal();
    await expect(scene.adopt(foreign, { asLoss: true })).rejects.toThrow(/It was sent by \w+, not by the hot wallet/);
    await scene.restart();
    await scene.adopt(lost.txHash);
    await scene.goOn(merchant());
  });
});

describe('a transaction that no order explains [H-106]', () => {
  it('is refused, and is a loss if the operator accepts that: a receivable of coins and of each token', async () => {
    const { payouts } = scene;
    const [from, to] = [payouts.hotWallet, await payouts.freshAddress()];
    const usdc = payouts.base.chain('USDC').contract;
    const tokens = {
      kind: 'token',
      from,
      to,
      token: usdc,
      decimals: 6,
      amount: 5_000_000n,
      opensAccount: true,
    } as const;
    const coins = { kind: 'coin', from, to, amount: 20_000_000n } as const;
    const txHash = await scene.land(await scene.unordered([tokens, coins]));
    await scene.restart();
    await expect(scene.adopt(txHash)).rejects.toThrow(
      'It does nothing that a vault signs for an order. No withdrawal, refund or sweep does that.',
    );
    const { purposeId } = await scene.adopt(txHash, { asLoss: true });
    const [audit] = await auditEntriesOf(payouts.database, purposeId);
    expect(audit).toMatchObject({
      details: { loss: expect.stringMatching(/changed the hot wallet by: -0\.02\d+ SOL, -5 USDC\.$/) },
    });
    await scene.goOn(merchant());
    const lost = await payouts.query<{ asset: string; amount: string }>(
      `select account.asset, posting.amount from entry join posting on posting.entry_id = entry.id
         join account on account.id = posting.account_id
        where entry.reference = $1 and account.kind = 'receivable' order by posting.amount`,
      [`loss:${purposeId}`],
    );
    const rent = 1_488_440n;
    expect(lost).toEqual([
      { asset: 'solana:native', amount: String(-20_000_000n - rent) },
      { asset: `solana:${usdc}`, amount: '-5000000' },
    ]);
  });

  it('is a payment of an order that is lost: it is a loss, or of the order that the operator names', async () => {
    const { payouts } = scene;
    const recipient = await payouts.freshAddress();
    const token = payouts.base.chain('USDC').contract;
    const first = await scene.land(await scene.paymentElsewhere(recipient, token, 1_000_000n));
    const second = await scene.land(await scene.paymentElsewhere(recipient, token, 1_000_000n));
    await scene.restart();
    await expect(scene.adopt(first)).rejects.toThrow('No withdrawal or refund order matches this transaction.');
    expect(await scene.adopt(first, { asLoss: true })).toMatchObject({ purpose: 'loss' });
    await payouts.pass(120);
    const again = await order(recipient);
    expect(await scene.adopt(second, {}, again.id)).toMatchObject({ purpose: 'withdrawal', purposeId: again.id });
    await scene.goOn(merchant());
    expect(await payouts.shown(again.id)).toMatchObject({ status: 'completed', tx_hash: second });
  });

  it('and that failed is a loss of its fee alone', async () => {
    const { payouts } = scene;
    const signed = await scene.paymentElsewhere(await payouts.freshAddress(), NATIVE_COIN, 1_000_000n, 1);
    const txHash = await scene.land(signed);
    await scene.restart();
    await expect(scene.adopt(txHash)).rejects.toThrow('No withdrawal or refund order matches');
    const { purposeId, transactionId } = await scene.adopt(txHash, { asLoss: true });
    await scene.goOn(merchant());
    expect(await scene.sentFor(purposeId)).toEqual(['reverted']);
    const entries = await payouts.query(`select kind from entry where reference in ($1, $2)`, [
      `loss:${purposeId}`,
      `gas:${transactionId}`,
    ]);
    expect(entries).toEqual([{ kind: 'network_fee' }]);
  });
});
