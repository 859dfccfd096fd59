import {
  changingBlocks,
  changingHead,
  forgedBlock,
  knowingNothing,
  type TronLie,
  TronLiar,
} from '../../../test/support/tron-liar.js';
import { TronPayerLab } from '../../../test/support/tron-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { networkProfile } from '../networks.js';
import { numberWord } from './constant-call.js';
import { readConditions } from './payment-conditions.js';
import { termsIn } from './planned-transaction.js';
import { keyOfHash } from './tron-address.js';

/** How far the newest block is above the final one here. */
const HEAD_ABOVE_MS = 9_000;
/** How far it is at most when a payment lives 90 s from it, and when a payment has 30 s left. */
const [WHOLE_LIFE_MS, LAST_MS] = [84_000 - HEAD_ABOVE_MS, 144_000 - HEAD_ABOVE_MS];

let lab: TronPayerLab;
let liar: TronLiar;
beforeAll(async () => {
  lab = await TronPayerLab.open();
  liar = await TronLiar.start(lab.rig.url);
});
afterAll(async () => {
  await liar.stop();
  await lab.close();
});

async function askLiar(lie: TronLie) {
  liar.lie = lie;
  const client = lab.clientAt(liar.url);
  try {
    return readConditions(await client.conditions(lab.hotWallet));
  } finally {
    await client.close();
  }
}

const parametersOf =
  (change: (list: readonly { readonly key: string }[]) => unknown): TronLie =>
  (path, answer) =>
    path.endsWith('getchainparameters')
      ? { chainParameter: change((answer as { chainParameter: { key: string }[] }).chainParameter) }
      : answer;

const headLaterBy = (ms: number): TronLie => changingHead(({ timestamp }) => ({ timestamp: timestamp + ms }));

const answeringCall =
  (selector: string, result: unknown): TronLie =>
  (path, answer, { function_selector: called }) =>
    called === selector && path === 'wallet/triggerconstantcontract' ? result : answer;

describe('the conditions of tron', () => {
  it('are the solid block, the time of the head, the prices, and the energy of each token', async () => {
    const at = readConditions(await lab.client.conditions(lab.hotWallet));
    const solid = await lab.client.headerAt((await lab.rig.controls.info()).solid);
    expect(at).toMatchObject({
      solidHeight: solid?.height,
      solidHash: solid?.hash,
      headTime: (await lab.client.head()).time.getTime(),
      energyPrice: 100n,
      bytePrice: 1_000n,
      activationFee: 1_000_000n,
      newAccountFee: 100_000n,
    });
    expect(Object.keys(at.energy).toSorted()).toEqual([lab.tokens.USDC, lab.tokens.USDT].toSorted());
    for (const { held, fresh } of Object.values(at.energy)) expect(fresh - held).toBeGreaterThanOrEqual(15_000n);
  });

  it('have no energy without a payer, or with one that has none of a token', async () => {
    expect(readConditions(await lab.client.conditions(null)).energy).toEqual({});
    expect(readConditions(await lab.client.conditions(keyOfHash('c7'.repeat(20)))).energy).toEqual({});
  });

  it('say nothing of a stake where none is, or where the node does not answer about it', async () => {
    expect(readConditions(await lab.client.conditions(lab.hotWallet))).not.toHaveProperty('stake');
    const staked = { getcandelegatedmaxsize: { max_size: 5_000_000 } };
    const answered = async (answers: Readonly<Record<string, unknown>>) =>
      askLiar((path, answer) => answers[path.split('/').at(-1) ?? ''] ?? answer);
    expect((await answered(staked)).stake).toMatchObject({ lendable: 5_000_000n, freeBandwidth: 600n });
    for (const wrong of [{ getcandelegatedmaxsize: {} }, { getaccountresource: { TotalEnergyLimit: 'much' } }]) {
      const at = await answered({ ...staked, ...wrong });
      expect([at.energyPrice, at.stake]).toEqual([100n, undefined]);
    }
  });

  it.each([
    ['of the newest block', 0, 0],
    ['of a newest block that is 84 s above the final one', WHOLE_LIFE_MS, WHOLE_LIFE_MS],
    ['84 s above the final block, where the newest one is higher', WHOLE_LIFE_MS + 1, WHOLE_LIFE_MS],
    ['84 s above the final block, as long as 30 s of the life are left', LAST_MS, WHOLE_LIFE_MS],
  ])('begin the life of payments at the time %s', async (_what, headMs, laterMs) => {
    const { headTime } = readConditions(await lab.client.conditions(lab.hotWallet));
    const at = await askLiar(headLaterBy(headMs));
    expect(at.headTime).toBe(headTime + laterMs);
    const solid = await lab.client.headerAt(at.solidHeight);
    const livesMs = termsIn(at, 0).expiration - (solid?.time.getTime() ?? 0);
    for (const environment of ['live', 'sandbox'] as const)
      expect(networkProfile(environment, 'tron')?.transactionLifetimeMs).toBeGreaterThanOrEqual(livesMs);
  });

  it('say of which tokens a transfer does not bring all, as their issuer can decide', async () => {
    const changed = async (lie: TronLie = (_path, answer) => answer) => (await askLiar(lie)).changedTokens;
    expect(await changed()).toEqual([]);
    await lab.rig.controls.setTokenFee(10, 5);
    await lab.rig.controls.mine();
    expect(await changed()).toEqual([lab.tokens.USDT]);
    // A fee of at most nothing is none.
    await lab.rig.controls.setTokenFee(10, 0);
    await lab.rig.controls.mine();
    expect(await changed()).toEqual([]);
    expect(
      await changed(answeringCall('deprecated()', { result: { result: true }, constant_result: [numberWord(1n)] })),
    ).toEqual(lab.profile.tokens.map(({ contract }) => contract).filter((contract) => contract !== NATIVE_COIN));
    // The token has no such call.
    expect(
      await changed(
        answeringCall('maximumFee()', { result: { result: true }, transaction: { ret: [{ ret: 'FAILED' }] } }),
      ),
    ).toEqual([]);
  });

  it('need no estimate of the node, which many do not give', async () => {
    await lab.rig.controls.setEstimateEnergy(false);
    expect(Object.keys(readConditions(await lab.client.conditions(lab.hotWallet)).energy)).toHaveLength(2);
  });

  it.each<[string, TronLie]>([
    ['knows nothing', knowingNothing],
    [
      'has a final block that is not on its chain',
      changingBlocks((block) => forgedBlock(block, () => ({ txTrieRoot: 'ab'.repeat(32) }))),
    ],
    [
      'names a final block of another height',
      changingBlocks((block) => ({ ...block, blockID: `${'0'.repeat(15)}1${block.blockID.slice(16)}` })),
    ],
    ['does not say a price', parametersOf((list) => list.filter(({ key }) => key !== 'getEnergyFee'))],
    ...['basisPointsRate()', 'maximumFee()', 'deprecated()'].map((selector): [string, TronLie] => [
      `refuses ${selector} of a token`,
      answeringCall(selector, { result: { code: 'SERVER_BUSY' } }),
    ]),
    ['says a negative price', parametersOf((list) => list.map((one) => ({ ...one, value: -1 })))],
    ['has a newest block so far above the final one that a payment would expire at once', headLaterBy(LAST_MS + 1)],
  ])('are not taken from a node that %s', async (_what, lie) => {
    await expect(askLiar(lie)).rejects.toThrow(ChainUnavailable);
  });
});
