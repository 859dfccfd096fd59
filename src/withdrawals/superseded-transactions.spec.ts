import { Wallet } from 'ethers';
import { AdoptionScene } from '../../test/support/adoption-scene.js';
import type { Ordered, OrderTraits } from '../../test/support/payout-scene.js';
import { ReturnScene } from '../../test/support/return-scene.js';
import { withdrawalEvents } from '../../test/withdrawals/payouts.js';
import { checkRules } from '../auditor/books-verification.js';
import { transferCall } from '../domain/transfer-call.js';

const SUPERSEDE = { supersede: true };

let scene: AdoptionScene;
/** Nobody else is paid there. */
let destination: string;

beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  destination = Wallet.createRandom().address.toLowerCase();
  scene.minedAt = new Date();
  await setFinal(AdoptionScene.minedHeight);
});

const ordered = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.payouts.order(await scene.payouts.merchant(), traits);
const setFinal = (height: number) =>
  scene.payouts.database.query(`update chain_cursor set finalized_height = $2 where chain_ref = $1`, [
    scene.chain.chainRef,
    height,
  ]);
/** The payment that the chain took, of which the nonce was given out anew here since. */
async function forgotten(): Promise<string> {
  const nonce = (await scene.nextNonce()) - 1;
  const token = scene.payouts.chain.contract;
  return scene.signed({ ...transferCall({ token, recipient: destination, amount: 25_000_000n }), nonce });
}
/** Rules of the books that do not hold; the scene fills its pockets without deposits. */
const broken = () =>
  scene.payouts.database.transaction(async (tx) => {
    const { rules } = await checkRules(tx);
    const names = rules.filter(({ finding }) => finding !== null).map(({ name }) => name);
    return names.filter((name) => !['deposits_are_booked', 'chain_owes_what_lies_there'].includes(name));
  });
const sentFor = (purposeId: string) =>
  scene.payouts.database.query<{ status: string; nonce: string }>(
    `select status, nonce from chain_transaction where purpose_id = $1`,
    [purposeId],
  );

it('what was signed with a nonce that the chain used otherwise is ended, its money given back, and the other taken in [H-106]', async () => {
  const paid = await ordered({ destination, minutesAgo: 5 });
  const second = await ordered();
  await scene.payouts.signer.sign(scene.payouts.vault, second.id);
  const [next, hash] = [await scene.nextNonce(), await forgotten()];
  await expect(scene.adopt(hash)).rejects.toThrow('--supersede ends what was signed here.');
  const adopted = await scene.adopt(hash, null, SUPERSEDE);
  expect(adopted).toMatchObject({ isNew: true, nonce: next - 1, purpose: 'withdrawal', purposeId: paid.id });
  const nonce = String(next - 1);
  expect(await sentFor(second.id)).toEqual([{ status: 'superseded', nonce }]);
  expect(await sentFor(paid.id)).toEqual([{ status: 'signed', nonce }]);
  expect(await scene.nextNonce()).toBe(next);
  const ends = await scene.payouts.database.query(`select status, failure_code from withdrawal where id = $1`, [
    second.id,
  ]);
  expect(ends).toEqual([{ status: 'failed', failure_code: 'cancelled' }]);
  expect(await withdrawalEvents(scene.payouts.database, second.id)).toEqual(['withdrawal.failed']);
  expect(await broken()).toEqual([]);
  expect(await scene.adopt(hash, null, SUPERSEDE)).toMatchObject({ isNew: false });
});

it('a return goes back to suspense, and what paid nothing that is ordered is a loss', async () => {
  const returns = await ReturnScene.open(scene.payouts);
  const order = await returns.anOrder();
  await returns.signer.sign(returns.vault, order.id);
  const hash = await forgotten();
  await expect(scene.adopt(hash, null, SUPERSEDE)).rejects.toThrow('No withdrawal or return waits for it.');
  expect(await sentFor(order.id)).toMatchObject([{ status: 'signed' }]);
  expect(await scene.adopt(hash, null, { ...SUPERSEDE, asLoss: true })).toMatchObject({ purpose: 'loss' });
  expect(await returns.facts(order.id)).toMatchObject({ status: 'failed', heldAs: 'suspense' });
  expect(await broken()).toEqual([]);
});

it('nothing is ended before the other is final, nor while a node knows what was signed here', async () => {
  const { id } = await ordered();
  await scene.payouts.signer.sign(scene.payouts.vault, id);
  await ordered({ destination, minutesAgo: 5 });
  const hash = await forgotten();
  await setFinal(AdoptionScene.minedHeight - 1);
  await expect(scene.adopt(hash, null, SUPERSEDE)).rejects.toThrow('It is not final yet');
  await setFinal(AdoptionScene.minedHeight);
  const [{ raw_transaction: raw } = { raw_transaction: '' }] = await scene.payouts.database.query<{
    raw_transaction: string;
  }>(
    `select raw_transaction from transaction_attempt join chain_transaction on id = transaction_id where purpose_id = $1`,
    [id],
  );
  scene.tell(raw);
  await expect(scene.adopt(hash, null, SUPERSEDE)).rejects.toThrow('The nodes do not agree');
  expect(await sentFor(id)).toMatchObject([{ status: 'signed' }]);
});

it('the database takes no other word for it', async () => {
  const { id } = await ordered();
  await scene.payouts.signer.sign(scene.payouts.vault, id);
  const alone = `update chain_transaction set status = 'superseded', finished_at = now() where purpose_id = $1`;
  await expect(scene.payouts.database.query(alone, [id])).rejects.toThrow('nobody decided that');
});
