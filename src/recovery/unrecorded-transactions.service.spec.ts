import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { UnrecordedTransactions } from './unrecorded-transactions.service.js';

let scene: AdoptionScene;
beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());

const unknown = () => new UnrecordedTransactions(scene.payouts.database).of(scene.chain);

it('nonces that the chain counts and the database does not have are listed with their progress [H-106] [I-113]', async () => {
  expect(await unknown()).toMatchObject({ nextNonce: 0, nonces: [] });
  scene.mined = 1;
  scene.pooled = 2;
  expect(await unknown()).toEqual({
    address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    nextNonce: 0,
    nonces: [
      { nonce: 0, progress: 'mined', known: null },
      { nonce: 1, progress: 'waiting', known: null },
      { nonce: 2, progress: 'waiting', known: null },
    ],
  });
});

it('a recorded nonce that the chain used for another transaction is listed too [I-114]', async () => {
  [scene.mined, scene.pooled] = [0, 1];
  const { payouts } = scene;
  const { id } = await payouts.order(await payouts.merchant());
  await payouts.signer.sign(payouts.vault, id);
  // While it is only in the pool it counts as ours.
  expect((await unknown())?.nonces).toEqual([]);
  [scene.mined, scene.pooled] = [1, 0];
  expect(await unknown()).toMatchObject({
    nextNonce: 1,
    nonces: [{ nonce: 0, progress: 'mined', known: { id: expect.stringMatching(/^ctx_/), purposeId: id } }],
  });
});
