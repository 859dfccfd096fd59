import { TronNodeRig } from '../../../../../test/support/tron-node-rig.js';
import { shapeErrors } from '../../../../../test/support/tron-shapes.js';
import { memberPaths, recordedReceipts } from '../../../../../test/support/tron-vectors.js';
import { parseAddress } from '../address.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const DAY_MS = 86_400_000;

let rig: TronNodeRig;

beforeEach(async () => {
  rig = await TronNodeRig.start();
});
afterEach(() => rig.remove());

/** Lets the box pay out; calls of it cost more by the factor. */
async function payOut(amount: string, { feeLimit = 100_000_000, factor = 0 } = {}): Promise<string> {
  const { PayoutBox } = (await rig.controls.info()).contracts;
  await rig.controls.setEnergyFactor(parseAddress(PayoutBox) ?? '', factor);
  return rig.call(PayoutBox, 'pay(address,uint256)', [(parseAddress(STRANGER) ?? '').slice(2), amount], { feeLimit });
}

/** Pays somebody who has an account already, on a day without payments. */
async function payAgain(): Promise<string> {
  await rig.controls.fund(STRANGER, null, 1n);
  await rig.controls.mine();
  await rig.controls.advanceClock(DAY_MS);
  await rig.controls.mine();
  return rig.controls.fund(STRANGER, null, 1n);
}

/** Uses the free bandwidth of the day, and then pays. */
async function payBurningBandwidth(): Promise<string> {
  for (let paid = 0; paid < 3; paid += 1) await rig.controls.fund(STRANGER, null, 1n);
  await rig.controls.mine();
  return rig.controls.fund(STRANGER, null, 1n);
}

describe('the info of a transaction', () => {
  it.each([
    ['native transfer paid by free/staked bandwidth: no fee field', payAgain],
    ['native transfer, burned bandwidth (old price 10 sun)', payBurningBandwidth],
    ['TRC-20 transfer on a private chain, success', async () => rig.controls.fund(STRANGER, 'USDT', 1n)],
    ['contract sends TRX by internal transaction', async () => payOut('7')],
    [
      'TRC-20 transfer, OUT_OF_ENERGY, all energy burned',
      async () => payOut('7', { feeLimit: 100_000, factor: 5_000 }),
    ],
    // Its network had a pool of fees, and no free bandwidth was left.
    ['TRC-20 transfer, REVERT with reason (packingFee field kept as recorded)', async () => payOut('f'.repeat(20))],
  ])('has the members of the recorded one: %s', async (kind, send) => {
    const id = await send();
    await rig.controls.mine();
    const info = await rig.ask('/wallet/gettransactioninfobyid', { value: id });
    const recorded = memberPaths(recordedReceipts().find((one) => one.kind === kind)?.info)
      .filter((path) => path !== 'packingFee')
      .map((path) => (kind.includes('REVERT') && path === 'receipt.net_fee' ? 'receipt.net_usage' : path));
    expect(memberPaths(info)).toEqual(recorded.toSorted());
    expect(shapeErrors('/wallet/gettransactioninfobyid', info)).toEqual([]);
  });

  it('of TRX has no result of a receipt, and that of a failed call has both results and a reason', async () => {
    const ids = [await rig.controls.fund(STRANGER, null, 1n), await payOut('f'.repeat(20))];
    await rig.controls.mine();
    const [plain, failed] = await Promise.all(ids.map((value) => rig.ask('/wallet/gettransactioninfobyid', { value })));
    expect(plain).not.toHaveProperty('receipt.result');
    expect(plain).not.toHaveProperty('result');
    expect(failed).toMatchObject({
      result: 'FAILED',
      receipt: { result: 'REVERT' },
      resMessage: Buffer.from('REVERT opcode executed').toString('hex'),
      contractResult: [expect.stringContaining(Buffer.from('the box is empty').toString('hex'))],
    });
    const block = await rig.ask('/wallet/getnowblock');
    expect(block).toMatchObject({
      transactions: [{ ret: [{ contractRet: 'SUCCESS' }] }, { ret: [{ contractRet: 'REVERT' }] }],
    });
  });

  it('has the energy of a call as its fee, at the price of the chain, when its bandwidth was free', async () => {
    const id = await rig.controls.fund(STRANGER, 'USDT', 1n);
    await rig.controls.mine();
    const info = (await rig.ask('/wallet/gettransactioninfobyid', { value: id })) as {
      readonly fee: number;
      readonly receipt: { readonly energy_fee: number; readonly energy_usage_total: number };
    };
    expect(info.receipt.energy_fee).toBe(info.receipt.energy_usage_total * 100);
    expect(info.fee).toBe(info.receipt.energy_fee);
  });
});
