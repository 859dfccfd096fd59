import { SolanaScene } from '../../../../test/support/solana-scene.js';
import { SolanaClient } from '../../../chains/solana/solana-client.js';
import { SmallestPayment } from './smallest-payment.js';

let scene: SolanaScene;
let client: SolanaClient;

beforeAll(async () => {
  scene = await SolanaScene.open();
  client = new SolanaClient({ profile: scene.profile, rpcUrl: scene.lab.chain.url });
});
afterAll(async () => {
  await client.close();
  await scene.close();
});

/** Samples as a listener does that has just started. */
const sample = () => new SmallestPayment(scene.db.database, scene.chain().chainRef).sample(client);

const minimums = () =>
  scene.db.query(`select symbol, minimum_amount from chain_token where minimum_amount is not null`);

it('is the dearest known one until a node was asked, and then what the chain demands', async () => {
  expect(await minimums()).toEqual([{ symbol: 'SOL', minimum_amount: '890880' }]);
  await sample();
  expect(await minimums()).toEqual([{ symbol: 'SOL', minimum_amount: '650240' }]);
  await scene.lab.controls.setRent(696);
  await sample();
  expect(await minimums()).toEqual([{ symbol: 'SOL', minimum_amount: String(696 * 128) }]);
});

it('is asked about once a minute, and stays as it was where the node refuses to say', async () => {
  const kept = new SmallestPayment(scene.db.database, scene.chain().chainRef);
  await kept.sample(client);
  const before = await minimums();
  await scene.lab.controls.setRent(6_960);
  await kept.sample(client);
  expect(await minimums()).toEqual(before);
  const error = { code: -32_601, message: 'Method not found' };
  await scene.lab.controls.failNext({ method: 'getMinimumBalanceForRentExemption', error, takesEffect: false });
  await sample();
  expect(await minimums()).toEqual(before);
  await sample();
  expect(await minimums()).toEqual([{ symbol: 'SOL', minimum_amount: '890880' }]);
});

it('is what the chain enforces: one lamport less does not arrive at a new address', async () => {
  await scene.lab.controls.setRent(5_080);
  const { address } = await scene.freeAddress();
  const send = async (lamports: bigint) => scene.lab.send(await scene.lab.signTransfer(address, lamports));
  expect((await send(650_239n)).error?.message).toMatch(/insufficient funds for rent/);
  expect(await send(650_240n)).toMatchObject({ result: expect.any(String) });
});
