import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { UnrecordedTransactions } from './unrecorded-transactions.service.js';

let scene: AdoptionScene;
beforeAll(async () => {
  scene = await AdoptionScene.open();
});
afterAll(() => scene.close());

const unknown = () => new UnrecordedTransactions(scene.payouts.database).of(scene.chain);

it('what the chain counts and the database does not know is listed, with how far it has come [H-106] [I-113]', async () => {
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

it('so is a nonce of ours that the chain has used for something else than is known here [I-114]', async () => {
  [scene.mined, scene.pooled] = [0, 1];
  const { payouts } = scene;
  const { id } = await payouts.order(await payouts.merchant());
  await payouts.signer.sign(payouts.vault, id);
  // In the pool it is ours, for all that anybody knows.
  expect((await unknown())?.nonces).toEqual([]);
  [scene.mined, scene.pooled] = [1, 0];
  expect(await unknown()).toMatchObject({
    nextNonce: 1,
    nonces: [{ nonce: 0, progress: 'mined', known: { id: expect.stringMatching(/^ctx_/), purposeId: id } }],
  });
});
