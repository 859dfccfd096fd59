import { eventually } from '../../../../test/support/eventually.js';
import { SolanaLab } from '../../../../test/support/solana-lab.js';
import { SolanaScene } from '../../../../test/support/solana-scene.js';
import { query } from '../../../../test/support/sql.js';

const USDC = 1_000_000n;
const LAMPORTS = 1_000_000_000n;

let lab: SolanaLab;
let scene: SolanaScene;
beforeAll(async () => {
  lab = await SolanaLab.open();
});
afterAll(() => lab.close());
beforeEach(async () => {
  scene = await SolanaScene.open(lab);
});
afterEach(() => scene.close());

describe('a fork', () => {
  it.each(['USDC', 'SOL'] as const)(
    'that drops a payment in %s takes it back, and its return counts once',
    async (symbol) => {
      const intent = await scene.intent(symbol);
      const signed = () =>
        symbol === 'SOL'
          ? scene.lab.signTransfer(intent.address, 25n * LAMPORTS)
          : scene.signedPayments([{ to: intent.address, amount: 25n * USDC }]);
      scene.listen();
      await scene.lab.land(await signed());
      await scene.lab.controls.mine();
      await scene.untilDeposits(1, 'seen');
      await scene.lab.controls.fork(2);
      await scene.lab.controls.skip(1);
      await scene.lab.settle();
      await scene.lab.settle();
      await scene.untilDeposits(1, 'orphaned');
      await scene.lab.land(await signed());
      await scene.lab.settle();
      const found = await eventually(
        () => {
          scene.hurry();
          return scene.deposits();
        },
        (deposits) => deposits.some(({ status }) => status === 'confirmed'),
      );
      expect(found.map(({ status }) => status).toSorted()).toEqual(['confirmed', 'orphaned']);
    },
  );

  it('that moves payments of one transaction to another block keeps their deposits', async () => {
    const intents = [await scene.intent(), await scene.intent()];
    scene.listen();
    const signed = await scene.signedPayments(intents.map(({ address: to }) => ({ to, amount: 25n * USDC })));
    await scene.lab.land(signed);
    await scene.lab.controls.mine();
    const [before] = await scene.untilDeposits(2, 'seen');
    await scene.lab.controls.fork(2);
    await scene.lab.controls.skip(1);
    await scene.lab.land(signed);
    await scene.lab.settle();
    const after = await scene.untilDeposits(2, 'confirmed');
    expect(after.map(({ tx_hash: txHash }) => txHash)).toEqual([before?.tx_hash, before?.tx_hash]);
    for (const { block_height: height } of after) expect(Number(height)).toBeGreaterThan(Number(before?.block_height));
  });

  it('that replaces a payment by another of the same amount credits the other one', async () => {
    const intent = await scene.intent();
    const payer = await scene.payer(25n * USDC);
    await scene.lab.settle();
    scene.listen();
    await scene.lab.land(await scene.signedPayments([{ to: intent.address, amount: 25n * USDC }]));
    await scene.lab.controls.mine();
    await scene.untilDeposits(1, 'seen');
    await scene.lab.controls.fork(2);
    await scene.lab.controls.skip(1);
    await scene.lab.land(await scene.signedPayments([{ to: intent.address, amount: 25n * USDC, from: payer }]));
    await scene.lab.settle();
    await scene.lab.settle();
    const found = await eventually(
      () => {
        scene.hurry();
        return scene.deposits();
      },
      (deposits) => deposits.some(({ status }) => status === 'confirmed'),
    );
    expect(found.map(({ status }) => status).toSorted()).toEqual(['confirmed', 'orphaned']);
    await eventually(
      () => {
        scene.hurry();
        return query(scene.db.database, `select from unexplained_balance`);
      },
      (open) => open.length === 0,
    );
  });
});
