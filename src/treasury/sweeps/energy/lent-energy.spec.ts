import { TronSweepScene } from '../../../../test/support/tron-sweep-scene.js';

const DOLLAR = 1_000_000n;
const TRX = 1_000_000n;
const ALL = String(25n * DOLLAR);

let scene: TronSweepScene;
afterEach(() => scene.close());

describe('a sweep with lent energy', () => {
  it('burns nothing: the address is activated by a sun, borrows, is swept, and gives the energy back', async () => {
    scene = await TronSweepScene.open(20_000n * TRX);
    const { address } = await scene.paid('USDT', 25n * DOLLAR);
    const [planned] = await scene.plan();
    expect(planned).toMatchObject({ status: [], funding: '1', lent: [], returned: [] });
    const [funded] = await scene.step();
    expect(funded).toMatchObject({ funded: ['succeeded'], lent: [], waiting_reason: 'funding_not_final' });
    await scene.expectBooksInOrder();
    const [lent] = await scene.step();
    expect(lent).toMatchObject({ lent: ['succeeded'], status: [], returned: [], waiting_reason: 'energy_not_final' });
    await scene.expectBooksInOrder();
    const [swept] = await scene.step();
    expect(swept).toMatchObject({ status: ['succeeded'], swept: ALL, burned: '0', returned: [] });
    await scene.expectBooksInOrder();
    const [returned] = await scene.step();
    expect(returned).toMatchObject({ returned: ['succeeded'] });
    expect(await scene.holds(address)).toEqual([0n, 1n]);
    await scene.expectBooksInOrder();
  });
});
