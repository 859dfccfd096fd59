import { runCommand } from '../../../test/support/cli-run.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { query } from '../../../test/support/sql.js';

let scene: PayoutScene;
beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

it('freezes every network of a restored database with the reason, and resets the counts [H-106]', async () => {
  const ethereum = await scene.addChain('ethereum');
  const { database, chain: polygon, signer, vault } = scene;
  const { id } = await scene.order(await scene.merchant());
  const restored = () =>
    runCommand(['treasury', 'restored', '--reason', 'restored to 03:00'], { DATABASE_URL: scene.db.url });
  const { code, out } = await restored();
  expect({ code, networks: out.match(/^FROZEN: nothing is signed for sandbox\/\w+/gm) }).toEqual({
    code: 0,
    networks: ['ethereum', 'polygon'].map((network) => `FROZEN: nothing is signed for sandbox/${network}`),
  });
  const wallets = await query(database, `select distinct frozen_reason, chain_nonce from hot_wallet`);
  expect(wallets).toEqual([{ frozen_reason: 'restored to 03:00', chain_nonce: null }]);
  const audited = await query<{ subject: string }>(
    database,
    `select subject from audit_entry where action = 'signing.freeze' and reason = 'restored to 03:00' order by subject`,
  );
  expect(audited.map(({ subject }) => subject)).toEqual([ethereum.chainRef, polygon.chainRef]);
  await signer.sign(vault, id);
  expect(await scene.waitsFor(id)).toBe('wallet_frozen');
  expect((await restored()).out).toContain('sandbox/polygon was already frozen and stays frozen: restored to 03:00');
});
