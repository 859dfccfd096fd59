import { TronNodeRig } from '../../../../../test/support/tron-node-rig.js';
import { parseAddress } from '../address.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';

let rig: TronNodeRig;

beforeEach(async () => {
  rig = await TronNodeRig.start();
});
afterEach(() => rig.remove());

const member = (answer: unknown, ...path: string[]): unknown =>
  path.reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], answer);
const infoOf = async (id: string): Promise<unknown> => rig.ask('/wallet/gettransactioninfobyid', { value: id });
const timeOf = async (number: number): Promise<number> =>
  Number(member(await rig.ask('/wallet/getblockbynum', { num: number }), 'block_header', 'raw_data', 'timestamp'));
const resultOf = async (id: string): Promise<unknown> => {
  await rig.controls.mine();
  return member(await infoOf(id), 'receipt', 'result');
};

/** Lets the box pay out 7 sun. */
async function payOut(): Promise<string> {
  const { contracts } = await rig.controls.info();
  const to = (parseAddress(STRANGER) ?? '').slice(2);
  const id = await rig.call(contracts.PayoutBox, 'pay(address,uint256)', [to, '7']);
  await rig.controls.mine();
  return id;
}

describe('the control of blocks', () => {
  it('mines blocks on following slots, and sets the clock to the last', async () => {
    const before = await rig.controls.info();
    const after = await rig.controls.mine(5);
    expect(after.head).toBe(before.head + 5);
    expect((await timeOf(after.head)) - (await timeOf(after.head - 4))).toBe(12_000);
    expect(after.now).toBeGreaterThanOrEqual(await timeOf(after.head));
  });

  it('lets slots pass without a block', async () => {
    const { head } = await rig.controls.mine();
    await rig.controls.miss(10);
    await rig.controls.mine();
    const gap = (await timeOf(head + 1)) - (await timeOf(head));
    expect(gap % 3_000).toBe(0);
    expect(gap).toBeGreaterThanOrEqual(30_000);
  });

  it('advances the clock by as much as it is told', async () => {
    const { now, head } = await rig.controls.mine();
    await rig.controls.advanceClock(14 * 86_400_000);
    await rig.controls.mine();
    expect((await timeOf(head + 1)) - now).toBeGreaterThan(14 * 86_400_000 - 3_000);
  });

  it('drops blocks that are not solid, and refuses to drop others', async () => {
    const { headId, head } = await rig.controls.mine(3);
    const after = await rig.controls.fork(3, 'vanish');
    expect(after.head).toBe(head - 3);
    expect(await rig.ask('/wallet/getblockbyid', { value: headId })).toEqual({});
    await rig.controls.mine(25);
    await expect(rig.controls.fork(20, 'vanish')).rejects.toThrow('fork: Only 19 blocks are not solid.');
  });

  it('changes the distance of the solid block', async () => {
    await rig.controls.setSolidityDistance(2);
    const { head, solid } = await rig.controls.mine(5);
    expect(solid).toBe(head - 2);
    expect(member(await rig.ask('/walletsolidity/getnowblock'), 'block_header', 'raw_data', 'number')).toBe(solid);
  });

  it.each([
    ['mine', { blocks: 0 }],
    ['mine', { blocks: 1, more: true }],
    ['fork', {}],
    ['settings', { solidityDistance: -1 }],
    ['settings', { parameters: { getNothing: 1 } }],
    ['failNext', { call: 'getnowblock', how: 'busy' }],
    ['nothing', {}],
  ])('refuses %s with %j and changes nothing', async (call, params) => {
    const before = await rig.controls.info();
    const response = await fetch(`${rig.url}/coffer/${call}`, { method: 'POST', body: JSON.stringify(params) });
    expect(response.status).toBe(400);
    expect((await rig.controls.info()).headId).toBe(before.headId);
  });
});

describe('the control of prices', () => {
  it('changes the energy price, which is in the parameters and in the history', async () => {
    await rig.controls.setEnergyPrice(420);
    const { chainParameter } = (await rig.ask('/wallet/getchainparameters')) as {
      chainParameter: { key: string; value: number }[];
    };
    expect(chainParameter).toContainEqual({ key: 'getEnergyFee', value: 420 });
    expect(member(await rig.ask('/wallet/getenergyprices'), 'prices')).toMatch(/^0:100,\d{13}:420$/);
    const id = await rig.controls.fund(STRANGER, 'USDT', 1n);
    await rig.controls.mine();
    const { energy_fee: fee, energy_usage_total: used } = member(await infoOf(id), 'receipt') as Record<string, number>;
    expect(fee).toBe((used ?? 0) * 420);
  });

  it('switches estimateenergy off, as on many nodes', async () => {
    await rig.controls.setEstimateEnergy(false);
    const { tokens } = await rig.controls.info();
    const call = {
      owner_address: rig.faucet.address,
      contract_address: tokens.USDT,
      function_selector: 'totalSupply()',
      visible: true,
    };
    expect(await rig.ask('/wallet/estimateenergy', call)).toEqual({
      result: { code: 'CONTRACT_VALIDATE_ERROR', message: 'this node does not support estimate energy' },
    });
  });

  it('makes a contract dear, in estimates and in transactions alike', async () => {
    const { tokens } = await rig.controls.info();
    const call = {
      owner_address: rig.faucet.address,
      contract_address: tokens.USDT,
      function_selector: 'totalSupply()',
      visible: true,
    };
    const before = Number(member(await rig.ask('/wallet/triggerconstantcontract', call), 'energy_used'));
    await rig.controls.setEnergyFactor(parseAddress(tokens.USDT) ?? '', 10_000);
    const after = await rig.ask('/wallet/triggerconstantcontract', call);
    expect(after).toMatchObject({ energy_used: 2 * before, energy_penalty: before });
  });
});

describe('the control of internal transactions', () => {
  it('shows them, hides them, or does either in turn, and the TRX arrive in any case', async () => {
    const id = await payOut();
    const isShown = async (): Promise<boolean> => member(await infoOf(id), 'internal_transactions') !== undefined;
    expect([await isShown(), await isShown()]).toEqual([true, true]);
    await rig.controls.setInternalTransactions('off');
    expect([await isShown(), await isShown()]).toEqual([false, false]);
    await rig.controls.setInternalTransactions('flapping');
    expect(new Set([await isShown(), await isShown()])).toEqual(new Set([false, true]));
    expect(member(await rig.ask('/wallet/getaccount', { address: STRANGER, visible: true }), 'balance')).toBe(7);
  });
});

describe('the control of tokens', () => {
  it('blocks a sender of USDT and releases it, by transactions of its issuer', async () => {
    const { faucet } = rig;
    expect(await resultOf(await rig.controls.blacklist('USDT', faucet.address))).toBe('SUCCESS');
    expect(await resultOf(await rig.controls.fund(STRANGER, 'USDT', 1n))).toBe('REVERT');
    expect(await resultOf(await rig.controls.unblacklist('USDT', faucet.address))).toBe('SUCCESS');
    expect(await resultOf(await rig.controls.fund(STRANGER, 'USDT', 1n))).toBe('SUCCESS');
  });

  it('takes a fee of USDT, deprecates it, and pauses USDC', async () => {
    expect(await resultOf(await rig.controls.setTokenFee(10, 5))).toBe('SUCCESS');
    const paid = await rig.controls.fund(STRANGER, 'USDT', 1_000_000n);
    expect(await resultOf(paid)).toBe('SUCCESS');
    expect(member(await infoOf(paid), 'log')).toHaveLength(2);
    expect(await resultOf(await rig.controls.pauseToken(true))).toBe('SUCCESS');
    expect(await resultOf(await rig.controls.fund(STRANGER, 'USDC', 1n))).toBe('REVERT');
    const { contracts } = await rig.controls.info();
    expect(await resultOf(await rig.controls.deprecateToken(contracts.StorageWriter))).toBe('SUCCESS');
    expect(await resultOf(await rig.controls.fund(STRANGER, 'USDT', 1n))).toBe('REVERT');
  });

  it('sends equal amounts twice in a moment, with two ids', async () => {
    const ids = [await rig.controls.fund(STRANGER, null, 1n), await rig.controls.fund(STRANGER, null, 1n)];
    expect(new Set(ids).size).toBe(2);
  });
});
