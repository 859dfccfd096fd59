import { PAYEE_CODE } from '../../../test/support/payees.js';
import { breaking, lagBehind, lie, reverting, SimulatorLab } from '../../../test/support/simulator-lab.js';

const USDT = `0x${'a2'.repeat(20)}`;

let world: SimulatorLab;

beforeAll(async () => {
  world = await SimulatorLab.open();
});
afterAll(() => world.close());
beforeEach(() => world.begin(...world.nodes));
afterEach(() => world.end());

describe('of two nodes [I-121]', () => {
  it('one that reports a refusal is not trusted while the other one executes the payment', async () => {
    const ordered = await world.order();
    lie(world.nodes[0], reverting);
    await world.simulateDue();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'accepts', nodes: 1 });
    expect([await world.sign(ordered), await world.failureOf(ordered)]).toEqual([null, null]);
  });

  it('one that executes no calls is left for the other one', async () => {
    const ordered = await world.order();
    lie(world.nodes[0], ({ method }, truth) =>
      method === 'eth_call' ? { error: { code: -32_000, message: 'header not found' } } : truth,
    );
    await world.simulateDue();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'accepts', nodes: 1 });
  });

  it('both have to refuse it on the same block, and then it fails', async () => {
    const ordered = await world.order({ destination: await world.aListedDestination() });
    await world.simulateDue();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
    await world.sign(ordered);
    expect(await world.failureOf(ordered)).toBe('destination_rejects');
  });

  it('one that lags refuses it on its own newest block, and then it fails', async () => {
    const ordered = await world.order({ destination: await world.aListedDestination() });
    await world.lab.node.mine();
    lagBehind(world.nodes[1], 1);
    await world.simulateDue();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
  });

  it('acceptance on an older block of a lagging node overrules no refusal', async () => {
    const ordered = await world.order({ destination: await world.aListedDestination() });
    lagBehind(world.nodes[1], 1);
    await world.simulateDue();
    const head = await world.lab.node.head();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'unconfirmed', nodes: 1, blockHash: head.hash });
    expect(await world.sign(ordered)).toBe('not_simulated');
  });

  it('where a newer block overrules a refusal, that block is recorded', async () => {
    const destination = world.newDestination();
    await world.lab.node.send('anvil_setCode', destination, PAYEE_CODE.reverts);
    await world.lab.node.mine();
    const refusing = await world.lab.node.head();
    await world.lab.node.mine();
    await world.lab.node.send('anvil_setCode', destination, '0x');
    await world.lab.node.mine();
    const ordered = await world.order({ destination, token: 'POL' });
    lagBehind(world.nodes[0], 2);
    lie(world.nodes[1], ({ method, params }, truth) =>
      method === 'eth_call' && JSON.stringify(params).includes(refusing.hash)
        ? { error: { code: -32_000, message: 'header not found' } }
        : truth,
    );
    await world.simulateDue();
    const head = await world.lab.node.head();
    expect(await world.simulated(ordered.id)).toMatchObject({
      outcome: 'accepts',
      nodes: 1,
      blockHeight: String(head.height),
      blockHash: head.hash,
    });
  });

  it('two that refuse it for different reasons agree that it is refused', async () => {
    const ordered = await world.order({ token: 'USDT' });
    lie(world.nodes[1], (asked, truth, node) =>
      JSON.stringify(asked.params).includes(`"to":"${USDT}"`) ? reverting(asked, truth, node) : truth,
    );
    await world.simulateDue();
    expect(await world.simulated(ordered.id)).toMatchObject({ outcome: 'rejects', nodes: 2 });
  });

  it('where the other one is down, the payment waits for it while others are signed', async () => {
    const listed = await world.aListedDestination();
    lie(world.nodes[1], breaking);
    const [doubted, fine] = [await world.order({ destination: listed }), await world.order()];
    await world.simulateDue();
    expect(await world.simulated(doubted.id)).toMatchObject({ outcome: 'unconfirmed', nodes: 1 });
    expect([await world.sign(doubted), await world.sign(fine)]).toEqual(['not_simulated', null]);
    expect(await world.failureOf(doubted)).toBeNull();
  });
});
