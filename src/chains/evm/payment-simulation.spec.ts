import { z } from 'zod';
import { PAYEE_CODE, type PayeeKind } from '../../../test/support/payees.js';
import { DEPOSITED, SweepLab } from '../../../test/support/sweep-lab.js';
import type { Lie } from '../../devtools/chaos/fault.js';
import { FaultProxy } from '../../devtools/chaos/fault-proxy.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import type { SimulatedOutcome, SimulatedPayment } from '../outgoing.js';
import { EvmChainClient } from './evm-chain-client.js';

const COIN = 10n ** 18n;
const GAS = { coin: 30_000n, token: 120_000n };
const FEES = { maxFeePerGas: 100n * 10n ** 9n, maxPriorityFeePerGas: 30n * 10n ** 9n };

let lab: SweepLab;
let proxy: FaultProxy;
let client: EvmChainClient;
let sender: string;

beforeAll(async () => {
  lab = await SweepLab.start();
  proxy = await FaultProxy.start({ target: { url: lab.node.url }, seed: 0 });
  client = new EvmChainClient({ profile: { network: 'polygon', finality: { minDepth: 3 } }, rpcUrl: proxy.url });
  sender = lab.treasury.address.toLowerCase();
});
beforeEach(async () => {
  proxy.arm([]);
  await lab.fund(sender, 10n * COIN);
  await lab.node.mine();
});
afterAll(async () => {
  await client.close();
  await proxy.stop();
  await lab.stop();
});

/** Makes the node answer with this lie from now on. */
function lie(falsify: Lie): void {
  proxy.arm([{ name: 'lie', about: 'answers as the spec says', begin: () => ({ kind: 'answer', falsify }) }]);
}

const newAddress = (): string => lab.newDeposits(1)[0]?.toLowerCase() ?? '';

async function payee(kind: PayeeKind): Promise<string> {
  const address = newAddress();
  await lab.node.send('anvil_setCode', address, PAYEE_CODE[kind]);
  await lab.node.mine();
  return address;
}

const coinTo = (recipient: string, amount = COIN): SimulatedPayment => ({
  sender,
  token: NATIVE_COIN,
  recipient,
  amount,
  gasLimit: GAS.coin,
  fees: FEES,
});

/** Returns a payment in a token of this kind of which the sender holds exactly the amount. */
async function tokenPayment(kind: Parameters<SweepLab['deploy']>[0] | 'TestTether', recipient = newAddress()) {
  const token = kind === 'TestTether' ? await lab.deployTestToken(kind) : await lab.deploy(kind);
  await lab.mint(token, sender, DEPOSITED);
  return {
    token,
    payment: { sender, token: token.address, recipient, amount: DEPOSITED, gasLimit: GAS.token, fees: FEES },
  };
}

async function outcomesOf(
  ...payments: readonly SimulatedPayment[]
): Promise<readonly (SimulatedOutcome | null)[] | null> {
  return client.outgoing.simulate(await client.head(), payments);
}

describe("a payment in the chain's own coin [I-116]", () => {
  it.each<[kind: PayeeKind, outcome: SimulatedOutcome]>([
    ['takes', 'accepts'],
    ['reverts', 'rejects'],
    ['burns', 'rejects'],
    ['neverEnds', 'rejects'],
    ['writes', 'needs_gas'],
    // More gas would not help.
    ['takesUnlessGasCosts', 'rejects'],
  ])('to a contract that %s: %s', async (kind, outcome) => {
    expect(await outcomesOf(coinTo(await payee(kind)))).toEqual([outcome]);
  });

  it('is accepted by a plain address, and by a deposit address of ours that delegates its sweeps', async () => {
    const item = await lab.paidItem(NATIVE_COIN);
    await lab.sweep([item]);
    expect(await lab.codeOf(item.deposit)).toMatch(/^0xef0100/);
    expect(await outcomesOf(coinTo(newAddress()), coinTo(item.deposit.toLowerCase()))).toEqual(['accepts', 'accepts']);
  });

  it('sends nothing, with any gas', async () => {
    const destination = await payee('writes');
    await outcomesOf(coinTo(destination));
    expect(await lab.balance(NATIVE_COIN, destination)).toBe(0n);
    expect(await lab.node.ask(z.string(), 'eth_getStorageAt', destination, '0x0', 'latest')).toMatch(/^0x0+$/);
  });
});

describe('a payment in a token [I-116]', () => {
  it.each<[kind: Parameters<typeof tokenPayment>[0], outcome: SimulatedOutcome]>([
    ['OddToken', 'accepts'],
    ['TestTether', 'accepts'],
    ['FalseToken', 'rejects'],
    ['BurningToken', 'rejects'],
    ['LongWindedToken', 'rejects'],
    ['ThirstyToken', 'needs_gas'],
  ])('%s: %s', async (kind, outcome) => {
    expect(await outcomesOf((await tokenPayment(kind)).payment)).toEqual([outcome]);
  });

  it('to an address on the black list of its issuer is refused by the token', async () => {
    const { token, payment } = await tokenPayment('BlackListToken');
    await lab.call(lab.treasury, token, 'freeze', payment.recipient);
    expect(await outcomesOf(payment)).toEqual(['rejects']);
  });
});

describe("a failure that is no refusal, because it is ours or the node's [I-116]", () => {
  it('a sender without the coins or the tokens, or frozen by the issuer', async () => {
    const destination = await payee('reverts');
    const short = coinTo(destination, 11n * COIN);
    const { token, payment } = await tokenPayment('BlackListToken');
    expect(await outcomesOf(short, { ...payment, amount: DEPOSITED + 1n })).toEqual([null, null]);
    await lab.call(lab.treasury, token, 'freeze', sender);
    expect(await outcomesOf(payment)).toEqual([null]);
  });

  it('a block that the node does not have', async () => {
    const payments = [coinTo(await payee('reverts')), (await tokenPayment('FalseToken')).payment];
    expect(await client.outgoing.simulate({ hash: `0x${'77'.repeat(32)}` }, payments)).toBeNull();
  });

  it('a node that refuses every call with any message, or fails once', async () => {
    const payments = [coinTo(newAddress()), (await tokenPayment('OddToken')).payment];
    const block = await client.head();
    let failures = Infinity;
    lie(({ method }, truth) => {
      if (method !== 'eth_call' || (failures -= 1) < 0) return truth;
      return { error: { code: -32_000, message: failures % 2 === 0 ? 'header not found' : 'execution reverted' } };
    });
    expect(await client.outgoing.simulate(block, payments)).toBeNull();
    failures = 2;
    expect(await client.outgoing.simulate(block, payments)).toEqual(['accepts', 'accepts']);
  });

  it('a node that does not answer, so that all outcomes are unknown', async () => {
    const block = await client.head();
    lie(() => {
      throw new Error('The connection breaks.');
    });
    await expect(client.outgoing.simulate(block, [coinTo(newAddress())])).rejects.toThrow(ChainUnavailable);
  });
});

it('returns the outcomes of many payments, in their order, in a few requests [I-116]', async () => {
  const [reverts, writes, plain] = [await payee('reverts'), await payee('writes'), newAddress()];
  const kinds = Array.from({ length: 240 }, (_, place) => place % 3);
  const payments = kinds.map((kind) => coinTo([reverts, writes, plain][kind] ?? plain));
  const block = await client.head();
  const before = proxy.asked.get('eth_call') ?? 0;
  const outcomes = await client.outgoing.simulate(block, payments);
  expect(outcomes).toEqual(kinds.map((kind) => (['rejects', 'needs_gas', 'accepts'] as const)[kind]));
  // One call each, four more for each that failed, and one that shows whether the node executes calls at all.
  expect((proxy.asked.get('eth_call') ?? 0) - before).toBe(240 + 4 * 160 + 1);
});
