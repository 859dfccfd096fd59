import { Wallet } from 'ethers';
import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { auditEntriesOf } from '../../test/support/audit-entries.js';
import { anEvmTransaction } from '../../test/support/evm-transactions.js';
import type { Ordered, OrderTraits } from '../../test/support/payout-scene.js';
import { RefundScene } from '../../test/support/refund-scene.js';
import { WITHDRAWAL_CHECKS } from '../auditor/checks/withdrawal-checks.sql.js';
import { transferCall } from '../chains/evm/transfer-call.js';

const STRANGER = new Wallet(`0x${'57'.repeat(32)}`);
const NOWHERE = `0x${'00'.repeat(19)}01`;

let scene: AdoptionScene;
/** A destination that only this file pays. */
let destination: string;

beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());
beforeEach(() => {
  destination = Wallet.createRandom().address.toLowerCase();
  scene.mined = 0;
  scene.minedAt = null;
});

const ordered = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.payouts.order(await scene.payouts.merchant(), { destination, ...traits });

/** Every row about the withdrawal that an adoption or a signature writes, without ids and times. */
const rowsOf = (withdrawalId: string) =>
  scene.payouts.query<Record<string, unknown>>(
    `select sent.purpose, sent.sender, sent.value, sent.data, sent.gas_limit, sent.token_contract, sent.amount,
            sent.status, sent.broadcast_at, attempt.number, verdict.verdict, verdict.attempt, withdrawal.status as ends,
            withdrawal.waiting_reason, withdrawal.tx_hash as shown, withdrawal.signed_at is not null as is_signed,
            verdict.tx_hash = attempt.tx_hash as is_accounted
       from withdrawal join chain_transaction sent on sent.purpose_id = withdrawal.id
       join transaction_attempt attempt on attempt.transaction_id = sent.id
       join vault_audit verdict on verdict.transaction_id = sent.id where withdrawal.id = $1`,
    [withdrawalId],
  );

const auditor = (name: string) =>
  scene.payouts.database.transaction(async (tx) => WITHDRAWAL_CHECKS.find((rule) => rule.name === name)?.find(tx));

describe('an unrecorded payment', () => {
  it('is adopted exactly as the signer would have recorded it, with an audit entry of the operator [H-106]', async () => {
    const byVault = await ordered();
    await scene.payouts.signer.sign(scene.payouts.vault, byVault.id);
    const { id } = await ordered();
    const nonce = await scene.nextNonce();
    const hash = await scene.payment(destination);
    const adopted = await scene.adopt(hash);
    expect(adopted).toMatchObject({ isNew: true, nonce, purpose: 'withdrawal', purposeId: id });
    const [signedRows, adoptedRows] = [await rowsOf(byVault.id), await rowsOf(id)];
    expect(adoptedRows).toEqual(
      signedRows.map((row) => ({ ...row, gas_limit: adoptedRows[0]?.['gas_limit'], verdict: 'adopted' })),
    );
    expect(await scene.nextNonce()).toBe(nonce + 1);
    expect(await auditEntriesOf(scene.payouts.database, id)).toEqual([
      {
        actor: 'alice@vault-1',
        action: 'transaction.adopt',
        reason: 'restored to 03:00',
        details: {
          chain: scene.chain.chainRef,
          hash,
          nonce: String(nonce),
          transaction: adopted.transactionId,
        },
      },
    ]);
    expect(await auditor('signatures_are_accounted_for')).toBeNull();
    expect(await auditor('nonces_have_no_gaps')).toBeNull();
  });

  it('is adopted once, however often an operator repeats the command', async () => {
    const { id } = await ordered();
    const hash = await scene.payment(destination);
    const first = await scene.adopt(hash);
    const nonce = await scene.nextNonce();
    expect(await scene.adopt(hash)).toEqual({ ...first, isNew: false });
    expect(await scene.nextNonce()).toBe(nonce);
    expect(await rowsOf(id)).toHaveLength(1);
    const audit = await scene.payouts.query(`select from audit_entry where subject = $1`, [id]);
    expect(audit).toHaveLength(1);
  });

  it('is adopted once by two operators at the same moment', async () => {
    const { id } = await ordered();
    const hash = await scene.payment(destination);
    const outcomes = await Promise.allSettled([scene.adopt(hash), scene.adopt(hash)]);
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await rowsOf(id)).toHaveLength(1);
    expect(await scene.adopt(hash)).toMatchObject({ isNew: false });
  });

  it('belongs to the withdrawal that the operator names when several wait for it', async () => {
    const [first, second] = [await ordered(), await ordered()];
    const hash = await scene.payment(destination);
    await expect(scene.adopt(hash)).rejects.toThrow(
      new RegExp(
        `^It sends 25 USDC to ${destination}. Several .*: ${first.id}, ${second.id}. Name the right one by --withdrawal or`,
      ),
    );
    const other = await ordered({ destination: STRANGER.address });
    await expect(scene.adopt(hash, other.id)).rejects.toThrow('does not wait for this payment');
    expect(await scene.adopt(hash, second.id)).toMatchObject({ purposeId: second.id });
    expect(await scene.payouts.waitsFor(first.id)).toBe('nothing');
  });

  it('does not belong to a withdrawal that was ordered after it was mined, unless the operator names it', async () => {
    const merchant = await scene.payouts.merchant();
    const { id } = await scene.payouts.order(merchant, { destination, minutesAgo: 5 });
    const hash = await scene.payment(destination);
    scene.minedAt = new Date(Date.now() - 7 * 60_000);
    await expect(scene.adopt(hash)).rejects.toThrow(
      new RegExp(`only ${id} waits for such a payment, which ${merchant.merchantId} ordered later, at 20`),
    );
    expect(await scene.adopt(hash, id)).toMatchObject({ purposeId: id });
    const { id: older } = await ordered({ minutesAgo: 8 });
    expect(await scene.adopt(await scene.payment(destination))).toMatchObject({ purposeId: older });
  });
});

describe('an unrecorded refund', () => {
  let refunds: RefundScene;
  beforeAll(async () => {
    refunds = await RefundScene.open(scene.payouts);
  });

  it('is adopted exactly as the signer would have recorded it, and ends like every other [H-106]', async () => {
    const byVault = await refunds.anOrder();
    await refunds.signer.sign(refunds.vault, byVault.id);
    const unrecorded = await refunds.anOrder(destination);
    const hash = await scene.payment(destination);
    expect(await scene.adopt(hash)).toMatchObject({ isNew: true, purpose: 'deposit_return', purposeId: unrecorded.id });
    const sent = (id: string) =>
      scene.payouts.query<Record<string, unknown>>(
        `select purpose, token_contract, amount, status, value from chain_transaction where purpose_id = $1`,
        [id],
      );
    expect(await sent(unrecorded.id)).toEqual(await sent(byVault.id));
    expect(await refunds.facts(unrecorded.id)).toMatchObject({ isSigned: true, waitingReason: null });
    await refunds.ends(unrecorded.id, true);
    expect(await refunds.facts(unrecorded.id)).toMatchObject({ status: 'completed', heldAs: null, balances: {} });
    expect(await auditor('signatures_are_accounted_for')).toBeNull();
  });

  it('is adopted when the operator names it although a withdrawal fits as well', async () => {
    const { id } = await ordered();
    const same = await refunds.anOrder(destination);
    const hash = await scene.payment(destination);
    await expect(scene.adopt(hash)).rejects.toThrow(
      `Several orders wait for this payment: ${id}, ${same.id}. Name the right one by --withdrawal or --return.`,
    );
    expect(await scene.adopt(hash, same.id)).toMatchObject({ purposeId: same.id });
    expect(await scene.payouts.waitsFor(id)).toBe('nothing');
  });

  it('is refused when the books hold nothing for it', async () => {
    await scene.payouts.query(
      `insert into deposit_return (id, deposit_id, destination, destination_key, status)
       values ('ret_forged', $1, $2, $2, 'broadcasting')`,
      [await refunds.aDeposit(), destination],
    );
    const hash = await scene.payment(destination);
    await expect(scene.adopt(hash)).rejects.toThrow(
      'The books hold nothing for refund ret_forged, so it is not an order.',
    );
  });
});

describe('an adoption is refused, with a sentence about the transaction, for', () => {
  let before: readonly unknown[];
  const rows = () =>
    scene.payouts
      .query(`select (select count(*) from chain_transaction) as sent, (select count(*) from vault_audit) as verdicts,
              (select count(*) from audit_entry) as actions, (select next_nonce from hot_wallet) as nonce,
              (select count(*) from withdrawal where signed_at is not null) as signed`);
  beforeEach(async () => {
    await ordered();
    before = await rows();
  });
  afterEach(async () => {
    expect(await rows()).toEqual(before);
  });

  it('a hash that no node knows', async () => {
    await expect(scene.adopt(`0x${'0a'.repeat(32)}`)).rejects.toThrow('No node of this chain has transaction 0x0a');
  });

  it('a nonce that is not the next one', async () => {
    const next = await scene.nextNonce();
    const ahead = await scene.signed({ nonce: next + 1 });
    await expect(scene.adopt(ahead)).rejects.toThrow(
      `Its nonce is ${next + 1}. The transaction with nonce ${next} comes first.`,
    );
  });

  it('a transaction of another sender', async () => {
    const { contract: token } = scene.payouts.chain;
    const call = transferCall({ token, recipient: destination, amount: 25_000_000n });
    const raw = await STRANGER.signTransaction({ ...anEvmTransaction({ nonce: await scene.nextNonce() }), ...call });
    const message = `It was sent by ${STRANGER.address.toLowerCase()}, not by the hot wallet.`;
    await expect(scene.adopt(scene.publish(raw))).rejects.toThrow(message);
  });

  it('a transaction that was signed for another chain', async () => {
    const hash = await scene.signed({ chainId: 137n });
    await expect(scene.adopt(hash)).rejects.toThrow('It was signed for another chain.');
  });

  it('an amount or a recipient that no order has', async () => {
    await expect(scene.adopt(await scene.payment(destination, 25_000_001n))).rejects.toThrow(
      `It sends 25.000001 USDC to ${destination}. No withdrawal or refund order matches this transaction.`,
    );
    await expect(scene.adopt(await scene.payment(NOWHERE))).rejects.toThrow(
      'No withdrawal or refund order matches this transaction.',
    );
    const coins = await scene.signed({ to: NOWHERE, value: 5n, data: '0x' });
    await expect(scene.adopt(coins)).rejects.toThrow(`It sends 0.000000000000000005 POL to ${NOWHERE}.`);
  });

  it('a call that the service never makes', async () => {
    const approval = `0x095ea7b3${'0'.repeat(128)}`;
    const hash = await scene.signed({ to: NOWHERE, value: 0n, data: approval });
    await expect(scene.adopt(hash)).rejects.toThrow(
      `It calls 0x095ea7b3 of the contract ${NOWHERE}, and sends it 0 wei. No withdrawal, refund, sweep or deployment does that.`,
    );
  });

  it('a transaction that will never be mined, because another one used its nonce', async () => {
    scene.mined = (await scene.nextNonce()) + 1;
    await expect(scene.adopt(await scene.payment(destination))).rejects.toThrow('was used by another transaction');
  });

  it('a payment whose withdrawal is a row without a booking', async () => {
    destination = Wallet.createRandom().address.toLowerCase();
    await ordered({ held: 0n });
    await expect(scene.adopt(await scene.payment(destination))).rejects.toThrow('The books hold nothing for');
  });

  it('a payment whose withdrawal has ended, and names it', async () => {
    destination = Wallet.createRandom().address.toLowerCase();
    const { id } = await ordered();
    await scene.payouts.query(
      `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = '' where id = $1`,
      [id],
    );
    await expect(scene.adopt(await scene.payment(destination))).rejects.toThrow(
      `No withdrawal or refund order matches this transaction. These asked for the same: ${id} (failed).`,
    );
  });
});

describe('an unrecorded version of a recorded transaction', () => {
  const FEES = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };

  it('is adopted as another attempt of it [I-114]', async () => {
    const { id } = await ordered();
    await scene.payouts.signer.sign(scene.payouts.vault, id);
    const nonce = await scene.nextNonce();
    const call = transferCall({ token: scene.payouts.chain.contract, recipient: destination, amount: 25_000_000n });
    const hash = await scene.signed({ ...call, ...FEES, nonce: nonce - 1, gasLimit: 120_000n });
    expect(await scene.adopt(hash)).toMatchObject({ isNew: true, purposeId: id, nonce: nonce - 1 });
    const attempts = await scene.payouts.query(
      `select number, tx_hash = $2 as is_adopted from transaction_attempt
         join chain_transaction on id = transaction_id where purpose_id = $1 order by number`,
      [id, hash],
    );
    expect(attempts).toEqual([
      { number: 1, is_adopted: false },
      { number: 2, is_adopted: true },
    ]);
    expect(await scene.nextNonce()).toBe(nonce);
    expect(await auditor('signatures_are_accounted_for')).toBeNull();
  });

  it('is refused when it pays something else', async () => {
    const { id } = await ordered();
    await scene.payouts.signer.sign(scene.payouts.vault, id);
    const nonce = (await scene.nextNonce()) - 1;
    const call = transferCall({ token: scene.payouts.chain.contract, recipient: NOWHERE, amount: 25_000_000n });
    const hash = await scene.signed({ ...call, ...FEES, nonce, gasLimit: 120_000n });
    await expect(scene.adopt(hash)).rejects.toThrow(
      new RegExp(
        `^Nonce ${nonce} belongs to ctx_\\w+ .signed., and this is no version of it. It sends 25 USDC to ${NOWHERE}.`,
      ),
    );
  });
});
