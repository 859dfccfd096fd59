import { Wallet } from 'ethers';
import { AdoptionScene } from '../../../test/support/adoption-scene.js';
import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { RefundScene } from '../../../test/support/refund-scene.js';
import { SandboxChain } from '../../../test/support/sandbox-chain.js';
import { query } from '../../../test/support/sql.js';

const WHY = ['--reason', 'ticket 7'] as const;

let adoption: AdoptionScene;
let scene: RefundScene;
let merchantId: string;

beforeAll(async () => {
  adoption = await AdoptionScene.open();
  scene = await RefundScene.open(adoption.payouts);
  ({ merchantId } = await adoption.payouts.merchant());
});
afterAll(() => adoption.close());
beforeEach(() => adoption.unfreeze());

const give = (depositId: string): Promise<CliRun> =>
  scene.coffer('deposits', 'resolve', depositId, '--merchant', merchantId, ...WHY);
const held = async (depositId: string): Promise<string | null | undefined> => {
  const [row] = await query<{ held_as: string | null }>(scene.database, `select held_as from deposit where id = $1`, [
    depositId,
  ]);
  return row?.held_as;
};

it('gives nothing away after a restore before the chain is counted, and not while it counts more [H-106]', async () => {
  const deposit = await scene.aDeposit();
  await scene.coffer('treasury', 'restored', '--reason', 'restored to 03:00');
  for (const order of [() => give(deposit), () => scene.resolve(deposit, Wallet.createRandom().address)]) {
    expect(await order()).toMatchObject({ code: 1, err: expect.stringContaining('try again in a minute') });
    await query(scene.database, `update hot_wallet set chain_nonce = next_nonce + 1`);
    const { code, err } = await order();
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('npx coffer treasury unrecorded lists'),
    });
    await query(scene.database, `update hot_wallet set chain_nonce = null`);
  }
  // The counts agree, but another transaction may have used a nonce, and no node can be asked.
  await adoption.payouts.countOnChain();
  expect((await give(deposit)).err).toContain('The hot wallet is frozen, and its chain cannot be asked from here');
  expect(await held(deposit)).toBe('suspense');
  const node = await SandboxChain.start(scene.database, scene.chain);
  try {
    const command = ['deposits', 'resolve', deposit, '--merchant', merchantId, ...WHY];
    const environment = { DATABASE_URL: adoption.payouts.db.url, DATA_DIR: node.dataDir };
    node.counted = (await adoption.nextNonce()) + 1;
    expect((await runCommand(command, environment)).err).toContain('npx coffer treasury unrecorded lists them');
    node.counted = 0;
    expect(await runCommand(command, environment)).toMatchObject({ code: 0, err: '' });
  } finally {
    await node.stop();
  }
});

it('gives nothing away by a count of before a failover, where the chain cannot be asked [H-106]', async () => {
  const deposit = await scene.aDeposit();
  const [known] = await query<{ database_identity: string }>(
    scene.database,
    `select database_identity from hot_wallet`,
  );
  await query(scene.database, `update hot_wallet set database_identity = '7434/1'`);
  expect(await give(deposit)).toMatchObject({ code: 1, err: expect.stringContaining('has not asked the chain yet') });
  await query(scene.database, `update hot_wallet set database_identity = $1`, [known?.database_identity ?? null]);
  expect(await give(deposit)).toMatchObject({ code: 0 });
});

it('orders nothing once more while the vault would pay it before the forgotten payment is known [H-106]', async () => {
  const [deposit, destination] = [await scene.aDeposit(), Wallet.createRandom().address];
  const again = ['deposits', 'resolve', deposit, '--again', '--to-address', destination, ...WHY];
  expect(await scene.coffer(...again)).toMatchObject({ code: 1, err: expect.stringContaining('is not frozen') });
  expect(await held(deposit)).toBe('suspense');
});

it('a return that was paid before a restore is ordered again by its word, and taken to be what was paid [H-106]', async () => {
  const [deposit, destination] = [await scene.aDeposit(), Wallet.createRandom().address];
  adoption.minedAt = new Date(Date.now() - 60_000);
  await scene.coffer('treasury', 'restored', '--reason', 'restored to 03:00');
  const again = ['deposits', 'resolve', deposit, '--again', ...WHY];
  expect(await scene.coffer(...again, '--merchant', merchantId)).toMatchObject({ code: 2 });
  const { code, out } = await scene.coffer(...again, '--to-address', destination);
  expect(code).toBe(0);
  const id = /ret_\w+/.exec(out)?.[0] ?? '';
  await scene.signer.sign(scene.vault, id);
  expect(await scene.facts(id)).toMatchObject({ isSigned: false, waitingReason: 'wallet_frozen' });
  expect(await adoption.adopt(await adoption.payment(destination.toLowerCase()), id)).toMatchObject({ purposeId: id });
});
