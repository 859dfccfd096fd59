import type { SeededChain } from '../../../test/support/factories.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { payoutOf } from '../../../test/withdrawals/payouts.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { type TransferCall, transferCall } from '../../chains/evm/transfer-call.js';
import type { Replacements } from './replacements.service.js';

// A replacement follows the order, and not the transaction that it replaces.

const RECIPIENT = `0x${'7a'.repeat(20)}`;
const THIEF = `0x${'66'.repeat(20)}`;
const AMOUNT = 25_000_000n;

let scene: PayoutScene;
let chain: SeededChain;
let queue: RecordingQueue;
let replacements: Replacements;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
  queue = new RecordingQueue();
  ({ replacements } = vaultServices(scene.database, queue.queue));
});

const order = async (): Promise<Ordered> => scene.order(await scene.merchant(), { chain });
const run = (text: string, ...parameters: string[]) => scene.query<Record<string, string>>(text, parameters);
const attemptsOf = async ({ id }: Ordered): Promise<number> =>
  (await payoutOf(scene.database, id))?.attempts.length ?? 0;

/** Forges a stuck transaction for an order by PostgreSQL alone. */
async function forged({ id }: Ordered, call: TransferCall, on = chain): Promise<void> {
  const forgedId = `ctx_${id}`;
  await run(
    `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
       gas_limit, token_contract, amount, status, replace_wanted_at)
     select $1, $2, 'withdrawal', $3, address_key, (select 1000 + count(*) from chain_transaction), $4, $5, $6, 120000, $7,
            $8, 'signed', now()
       from hot_wallet where chain_ref = $2`,
    forgedId,
    on.chainRef,
    id,
    call.to,
    call.value.toString(),
    call.data,
    chain.contract,
    AMOUNT.toString(),
  );
  await run(
    `insert into transaction_attempt (transaction_id, number, tx_hash, raw_transaction, max_fee_per_gas,
       max_priority_fee_per_gas) values ($1, 1, '0x', '0x', 1, 1)`,
    forgedId,
  );
}

const asOrdered = (): TransferCall => transferCall({ token: chain.contract, recipient: RECIPIENT, amount: AMOUNT });

it.each<[string, () => TransferCall]>([
  ['another recipient', () => transferCall({ token: chain.contract, recipient: THIEF, amount: AMOUNT })],
  ['another amount', () => transferCall({ token: chain.contract, recipient: RECIPIENT, amount: AMOUNT + 1n })],
  ['another token', () => transferCall({ token: THIEF, recipient: RECIPIENT, amount: AMOUNT })],
  ['coins', () => transferCall({ token: NATIVE_COIN, recipient: RECIPIENT, amount: AMOUNT })],
  ['what is approved', () => ({ ...asOrdered(), data: asOrdered().data.replace('a9059cbb', '095ea7b3') })],
])(
  'a transaction that pays %s is not replaced: that is audited, and freezes the wallet [I-125]',
  async (_what, call) => {
    const ordered = await order();
    await forged(ordered, call());
    await replacements.signWanted(scene.vault);
    expect(await attemptsOf(ordered)).toBe(1);
    const reason = 'The signed transaction is not the one that was asked for: its data differs.';
    const verdicts = `select transaction_id, verdict, reason from vault_audit where purpose_id = $1`;
    const refused = [{ transaction_id: null, verdict: 'refused', reason }];
    expect(await run(verdicts, ordered.id)).toEqual(refused);
    const frozen = await run(`select frozen_reason from hot_wallet where chain_ref = $1`, chain.chainRef);
    expect(frozen).toEqual([{ frozen_reason: reason }]);
    expect(await scene.signer.sign(scene.vault, (await order()).id)).toBe('wallet_frozen');
    await replacements.signWanted(scene.vault);
    expect(await run(verdicts, ordered.id)).toEqual(refused);
  },
);

it.each<[string, string, string]>([
  [
    'the destination is listed, as it was not when it was signed first [I-120]',
    `insert into sanctioned_address (family, address_key, added_in)
       select 'evm', destination_key, (select max(id) from sanctions_import) from withdrawal where id = $1`,
    `with newer as (insert into sanctions_import (source, published_on, addresses, content_hash)
                    values ('test', now(), 1, repeat('b', 64)) returning id)
     update sanctioned_address set removed_in = newer.id from newer`,
  ],
  [
    'the chain is halted [I-121]',
    `update chain_cursor set halted_reason = 'x' where chain_ref = (select chain_ref from withdrawal where id = $1)`,
    `update chain_cursor set halted_reason = null`,
  ],
  [
    'what is final is in doubt [I-121]',
    `update chain_cursor set finality_doubt = 'x' where chain_ref = (select chain_ref from withdrawal where id = $1)`,
    `update chain_cursor set finality_doubt = null`,
  ],
])('nothing is replaced while %s; it stays wanted until that is over', async (_why, begin, end) => {
  const ordered = await order();
  await scene.signer.sign(scene.vault, ordered.id);
  await run(`update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, ordered.id);
  await run(begin, ordered.id);
  await replacements.signWanted(scene.vault);
  expect([await attemptsOf(ordered), await queue.woken('treasury.broadcast')]).toEqual([1, []]);
  await run(end);
  await replacements.signWanted(scene.vault);
  expect([await attemptsOf(ordered), await queue.woken('treasury.broadcast')]).toEqual([2, [{}]]);
});

it("a merchant's freeze delays no replacement: the payment is sent, and others wait behind its nonce", async () => {
  const ordered = await order();
  await scene.signer.sign(scene.vault, ordered.id);
  await run(`update chain_transaction set replace_wanted_at = now() where purpose_id = $1`, ordered.id);
  await run(`update withdrawal_policy set frozen_reason = 'asked for'`);
  await replacements.signWanted(scene.vault);
  await run(`update withdrawal_policy set frozen_reason = null`);
  expect(await attemptsOf(ordered)).toBe(2);
});

it('no transaction is replaced whose order has ended or names another chain [I-111]', async () => {
  const [ended, elsewhere, open] = [await order(), await order(), await order()];
  await run(
    `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = '' where id = $1`,
    ended.id,
  );
  await forged(ended, asOrdered());
  await forged(elsewhere, asOrdered(), await scene.addChain('bnb'));
  // The same row for an open order: nothing else about it is wrong.
  await forged(open, asOrdered());
  await replacements.signWanted(scene.vault);
  expect(await Promise.all([ended, elsewhere, open].map(attemptsOf))).toEqual([1, 1, 2]);
});
