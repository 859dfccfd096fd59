import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDNodeWallet, Interface, type TransactionRequest, Wallet } from 'ethers';
import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { forEveryPurpose } from '../../test/support/outcomes.js';
import type { Ordered, OrderTraits } from '../../test/support/payout-scene.js';
import { query } from '../../test/support/sql.js';
import { BOOKING_CHECKS } from '../auditor/checks/booking-checks.sql.js';
import { SIGNED_PAYMENTS_CHECK } from '../auditor/checks/signed-payments.js';
import type { LogEntry } from '../chains/log-entry.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { rows } from '../platform/database/database.js';
import { createLogger } from '../platform/logging.js';
import { spendableOf } from '../treasury/wallets/hot-balances.sql.js';
import { LossOutcomeHandler } from '../treasury/transactions/loss-outcome-handler.service.js';
import { comparableSnapshots } from '../treasury/wallets/top-ups.sql.js';
import { minedAttempt, OutcomeRecorder } from '../treasury/transactions/outcome-recorder.service.js';
import { openVaultFile } from '../vault/vault-file.js';
import type { Adopted } from './adoption.service.js';

const LOSS = { asLoss: true };
const STRANGER = `0x${'66'.repeat(20)}`;
const TRANSFER = new Interface(['event Transfer(address indexed from, address indexed to, uint256 amount)']);
const USDT = `0x${'a2'.repeat(20)}`;

let scene: AdoptionScene;
/** A destination that only this file pays. */
let destination: string;

beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  destination = Wallet.createRandom().address.toLowerCase();
  scene.minedAt = new Date();
  await scene.setFinal();
});

const ordered = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.payouts.order(await scene.payouts.merchant(), { destination, ...traits });

const broken = async () => {
  const rules = [...BOOKING_CHECKS, SIGNED_PAYMENTS_CHECK].filter(({ name }) =>
    ['losses_are_booked', 'gas_is_booked', 'kinds_are_known', 'payments_are_ordered'].includes(name),
  );
  const found = [];
  for (const rule of rules) found.push(await scene.payouts.database.transaction((tx) => rule.find(tx)));
  return found.filter((finding) => finding !== null);
};

const transferLog = (token: string, from: string, to: string, amount: bigint): LogEntry => {
  const { topics, data } = TRANSFER.encodeEventLog('Transfer', [from, to, amount]);
  return { blockHash: '0x01', txHash: '0x01', logIndex: 0, address: token, topics, data, removed: false };
};

/** Ends it by its final receipt, as the worker does; twice, which changes nothing more. */
async function end({ transactionId }: Adopted, hash: string, logs: readonly LogEntry[]): Promise<void> {
  const ledger = new LedgerService();
  const outcomes = forEveryPurpose(new LossOutcomeHandler(ledger));
  const open = { id: transactionId, purpose: 'loss' } as const;
  const height = AdoptionScene.minedHeight;
  const receipt = {
    txHash: hash,
    blockHash: '0x01',
    height,
    succeeded: true,
    gasUsed: 1n,
    effectiveGasPrice: 1n,
    logs,
  };
  const recorder = new OutcomeRecorder(scene.payouts.database, ledger, outcomes, createLogger('silent'));
  for (let twice = 0; twice < 2; twice++) await recorder.end([[open, minedAttempt(receipt)]]);
}

/** The ledger's legs of a loss: account, asset and amount of each. */
const legsOf = ({ purposeId }: Adopted) =>
  scene.payouts.query(
    `select account.kind, account.asset, posting.amount from entry join posting on posting.entry_id = entry.id
       join account on account.id = posting.account_id where entry.reference = $1 and posting.amount > 0
      order by account.asset`,
    [`loss:${purposeId}`],
  );

describe('a payment whose order is lost', () => {
  it('is adopted as a loss once it is final, on the order of an operator, and booked as receivable [H-106]', async () => {
    const nonce = await scene.nextNonce();
    const hash = await scene.payment(destination);
    await scene.setFinal(AdoptionScene.minedHeight - 1);
    await expect(scene.adopt(hash)).rejects.toThrow('No withdrawal or refund order matches this transaction.');
    await expect(scene.adopt(hash, null, LOSS)).rejects.toThrow('It is not final yet');
    await scene.setFinal();
    const adopted = await scene.adopt(hash, null, LOSS);
    const { purposeId } = adopted;
    expect(adopted).toMatchObject({ isNew: true, nonce, purpose: 'loss' });
    expect(await scene.nextNonce()).toBe(nonce + 1);
    expect(await scene.adopt(hash, null, LOSS)).toMatchObject({ purposeId, isNew: false });
    const [audit] = await scene.payouts.query(`select action, details from audit_entry where subject = $1`, [
      purposeId,
    ]);
    const loss = `It sends 25 USDC to ${destination}.`;
    expect(audit).toMatchObject({ action: 'transaction.adopt', details: { hash, loss } });
    expect(await broken()).toEqual([]);
    const { contract } = scene.payouts.chain;
    await end(adopted, hash, [transferLog(contract, await scene.hotWallet(), destination, 25_000_000n)]);
    expect(await legsOf(adopted)).toEqual([{ kind: 'chain', asset: `polygon:${contract}`, amount: '25000000' }]);
    expect(await broken()).toEqual([]);
  });

  it('is no loss when its order was created in the second of its block: the order is not paid again [H-106]', async () => {
    scene.minedAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 1_000);
    const { id } = await ordered();
    const adopted = await scene.adopt(await scene.payment(destination), null, LOSS);
    expect(adopted).toMatchObject({ purpose: 'withdrawal', purposeId: id });
    expect(await scene.payouts.waitsFor(id)).toBeNull();
  });

  it('is booked by its final receipt, with the coin and each listed token that it took [H-106]', async () => {
    const { database, chain } = scene.payouts;
    const wallet = await scene.hotWallet();
    const spendable = async (): Promise<bigint> => {
      const [row] = await database.rows(spendableOf(chain.chainRef, USDT));
      return BigInt(row?.units ?? 0);
    };
    const before = await spendable();
    const drained = await scene.signed({ to: STRANGER, value: 7n, data: `0x12345678${'00'.repeat(64)}` });
    const adopted = await scene.adopt(drained, null, LOSS);
    await end(adopted, drained, [
      transferLog(USDT, wallet, STRANGER, 30n),
      transferLog(chain.contract, wallet, STRANGER, 25n),
      transferLog(USDT, STRANGER, wallet, 10n),
      transferLog(`0x${'ee'.repeat(20)}`, wallet, STRANGER, 99n),
      transferLog(chain.contract, STRANGER, destination, 40n),
    ]);
    expect(await legsOf(adopted)).toEqual(
      [
        ['native', '7'],
        [chain.contract, '25'],
        [USDT, '20'],
      ]
        .map(([token, amount]) => ({ kind: 'chain', asset: `polygon:${token}`, amount }))
        .toSorted((one, other) => one.asset.localeCompare(other.asset)),
    );
    expect(await broken()).toEqual([]);
    // The newest balance snapshot is older; the next comparison of wallet and books includes it.
    expect(await spendable()).toBe(before - 20n);
    const books = await database.transaction(async (tx) => {
      const mined = await query(tx, `select from chain_transaction where mined_height is not null`);
      await query(
        tx,
        `insert into stocktaking (chain_ref, token_contract, height, block_hash, nonce, amount) values ($1, $2, 100, '', $3, 0)`,
        [chain.chainRef, USDT, mined.length],
      );
      const [row] = await rows(tx, comparableSnapshots(chain.chainRef));
      return row?.books;
    });
    expect(books).toBe('-20');
    const alone = query(
      database,
      `insert into loss_item select 'ctx_x', chain_ref, 'x', 1, 100 from loss_item limit 1`,
    );
    await expect(alone).rejects.toThrow('transaction ctx_x is no loss that ended');
  });

  it.each<[string, TransactionRequest]>([
    ['a legacy transaction', { type: 0, gasPrice: 5n, data: '0x12345678' }],
    ['a legacy transaction for any chain', { type: 0, gasPrice: 5n, data: '0x12345678', chainId: 0 }],
    ['one with an access list', { type: 1, gasPrice: 5n, accessList: [{ address: STRANGER, storageKeys: [] }] }],
    ['a new contract', { type: 2, to: null, data: '0x6000', maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }],
  ])('is adopted whatever software signed it with the key: %s', async (_kind, change) => {
    const { vaultFile, database } = scene.payouts;
    const { sandbox } = await openVaultFile(vaultFile.path, vaultFile.passphrase);
    const [wallet] = await query<{ derivation_path: string }>(database, `select derivation_path from hot_wallet`);
    const thief = HDNodeWallet.fromPhrase(entropyToMnemonic(sandbox, wordlist), undefined, wallet?.derivation_path);
    const common = { to: STRANGER, value: 3n, chainId: 31_337, gasLimit: 90_000n, nonce: await scene.nextNonce() };
    const hash = scene.publish(await thief.signTransaction({ ...common, ...change }));
    await expect(scene.adopt(hash)).rejects.toThrow(/No withdrawal/);
    const adopted = await scene.adopt(hash, null, LOSS);
    expect(adopted).toMatchObject({ purpose: 'loss', isNew: true });
    await end(adopted, hash, []);
    expect(await legsOf(adopted)).toEqual([{ kind: 'chain', asset: 'polygon:native', amount: '3' }]);
    expect(await broken()).toEqual([]);
  });

  it('is no loss while an order may have asked for it', async () => {
    const { id } = await ordered({ minutesAgo: 5 });
    const hash = await scene.payment(destination);
    expect(await scene.adopt(hash, null, LOSS)).toMatchObject({ purpose: 'withdrawal', purposeId: id });
    const another = await scene.payment(destination);
    await expect(scene.adopt(another, null, LOSS)).rejects.toThrow(`${id} asked for the same`);
    const [first, second] = [await ordered({ minutesAgo: 5 }), await ordered({ minutesAgo: 5 })];
    await expect(scene.adopt(another, null, LOSS)).rejects.toThrow(
      `Several orders wait for this payment: ${first.id}, ${second.id}`,
    );
  });

  it('is never signed by a vault: the database accepts a loss only with an audit entry of an operator', async () => {
    const verdict = scene.payouts
      .query(`insert into vault_audit (transaction_id, attempt, purpose, purpose_id, verdict, tx_hash, fields)
       values ('ctx_1', 1, 'loss', 'los_1', 'signed', '0x01', '{}')`);
    await expect(verdict).rejects.toThrow('vault_audit_loss_check');
  });
});
