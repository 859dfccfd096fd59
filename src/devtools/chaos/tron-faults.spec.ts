import { TronNodeRig } from '../../../test/support/tron-node-rig.js';
import { keyOfHash } from '../../chains/tron/tron-address.js';
import { FaultProxy } from './fault-proxy.js';
import { TRON_FAULTS } from './tron-faults.js';
import { TRON_HTTP } from './tron-format.js';

const US = keyOfHash('a1'.repeat(20));
const PAID = 7;
const HEAD = 10;
const LAG = 6;

let rig: TronNodeRig;
let proxy: FaultProxy;

beforeAll(async () => {
  rig = await TronNodeRig.start();
  await rig.controls.setSolidityDistance(1);
  await rig.controls.mine(PAID - 2);
  const { contracts } = await rig.controls.info();
  await rig.call(contracts.PayoutBox, 'pay(address,uint256)', ['a1'.repeat(20), 'ff']);
  await rig.controls.fund(US, 'USDT', 5n);
  await rig.controls.mine(1 + HEAD - PAID);
  proxy = await FaultProxy.start({ target: { url: rig.url }, format: TRON_HTTP, seed: 1 });
});
afterAll(async () => {
  await proxy.stop();
  await rig.remove();
});
afterEach(() => proxy.heal());

function arm(name: string): void {
  const fault = TRON_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`There is no fault ${name}.`);
  proxy.arm([fault]);
}

/** The answers of the node itself and through the proxy. */
async function both(path: string, body: object = {}): Promise<{ readonly truth: unknown; readonly answer: unknown }> {
  const response = await fetch(`${proxy.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { truth: await rig.ask(path, body), answer: await response.json() };
}

const infos = (num: number) => both('/wallet/gettransactioninfobyblocknum', { num });
const block = (num: number) => both('/wallet/getblockbynum', { num });

describe('a fault of a Tron node', () => {
  it('changes nothing while it is not armed', async () => {
    for (const { truth, answer } of [await infos(PAID), await block(PAID), await both('/walletsolidity/getnowblock')]) {
      expect(answer).toEqual(truth);
    }
    expect(proxy.asked.get('wallet/getblockbynum')).toBe(1);
    const refused = await fetch(`${proxy.url}/wallet/getblock`, { method: 'POST', body: '{"half":' });
    expect(refused.status).toBe(400);
  });

  it('lag: is behind in heads, blocks and infos on both interfaces', async () => {
    arm('lag');
    for (const side of ['wallet', 'walletsolidity']) {
      const top = (side === 'wallet' ? HEAD : HEAD - 1) - LAG;
      const held = await rig.ask(`/${side}/getblock`, { id_or_num: String(top), detail: false });
      expect((await both(`/${side}/getblock`, { detail: false })).answer).toEqual(held);
      expect((await both(`/${side}/getblock`, { id_or_num: String(top) })).answer).toEqual(held);
      expect((await both(`/${side}/getblock`, { id_or_num: String(top + 1) })).answer).toEqual({});
      expect((await both(`/${side}/gettransactioninfobyblocknum`, { num: top + 1 })).answer).toEqual([]);
    }
  });

  it('solidity-lag: is behind in what is final alone', async () => {
    arm('solidity-lag');
    const full = await both('/wallet/getblock', { detail: false });
    expect(full.answer).toEqual(full.truth);
    const held = await rig.ask('/wallet/getblock', { id_or_num: String(HEAD - 1 - LAG), detail: false });
    expect((await both('/walletsolidity/getblock', { detail: false })).answer).toEqual(held);
  });

  it.each<[name: string, ask: () => ReturnType<typeof both>, answer: (truth: unknown) => unknown]>([
    ['empty-block', () => block(PAID), () => ({})],
    ['no-infos', () => infos(PAID), () => []],
    ['empty-infos', () => infos(PAID), () => ({})],
    ['missing-info', () => infos(PAID), (truth) => (truth as readonly unknown[]).slice(0, -1)],
    ['other-infos', () => infos(PAID + 1), () => rig.ask('/wallet/gettransactioninfobyblocknum', { num: PAID })],
    [
      'wrong-genesis',
      () => both('/wallet/getblock', { id_or_num: '0', detail: false }),
      (truth) => ({ ...(truth as object), blockID: `${'0'.repeat(16)}${'e'.repeat(48)}` }),
    ],
    [
      'over-limit',
      () => block(PAID),
      () => ({ Error: 'class java.lang.IllegalAccessException : lack of computing resources' }),
    ],
  ])('%s: answers that alone', async (name, ask, answer) => {
    arm(name);
    const { truth, answer: found } = await ask();
    expect(found).toEqual(await answer(truth));
    expect(found).not.toEqual(truth);
    expect(proxy.hits.get(name)).toBe(1);
  });

  it('clock-ahead: says later times of blocks and infos, with the ids and everything else as they are', async () => {
    arm('clock-ahead');
    const later = (name: string, value: unknown): unknown => {
      if (name === 'blockTimeStamp') return Number(value) + 60_000;
      const isHeader = name === 'raw_data' && typeof value === 'object' && value !== null && 'parentHash' in value;
      return isHeader && 'timestamp' in value ? { ...value, timestamp: Number(value.timestamp) + 60_000 } : value;
    };
    for (const { truth, answer } of [
      await block(PAID),
      await infos(PAID),
      await both('/walletsolidity/getblock', { detail: false }),
      await both('/walletsolidity/getblockbylimitnext', { startNum: PAID, endNum: PAID + 2 }),
    ]) {
      expect(answer).toEqual(JSON.parse(JSON.stringify(truth), later));
      expect(answer).not.toEqual(truth);
    }
  });

  it('flapping-internals: leaves them out of every second answer that has any', async () => {
    arm('flapping-internals');
    const has = (answer: unknown): boolean => JSON.stringify(answer).includes('internal_transactions');
    const found = [await infos(PAID), await infos(PAID), await infos(PAID)];
    expect(found.map(({ truth, answer }) => [has(truth), has(answer)])).toEqual([
      [true, false],
      [true, true],
      [true, false],
    ]);
  });
});
