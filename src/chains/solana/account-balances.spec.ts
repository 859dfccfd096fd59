import { FakeNode } from '../../../test/support/fake-node.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { RequestRate } from '../rpc/request-rate.js';
import { requestsTogether } from './account-balances.js';
import { SolanaClient } from './solana-client.js';

let node: FakeNode;
let client: SolanaClient;
beforeEach(async () => {
  node = await FakeNode.start();
  client = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: node.url, rate: new RequestRate(1_000) });
});
afterEach(async () => {
  await client.close();
  await node.stop();
});

const accounts = Array.from({ length: 250 }, (_, nth) => ({ account: `account ${nth}`, token: NATIVE_COIN }));

/** Returns as many lamports of an account as its number says. */
const lamportsOf = (names: unknown): readonly unknown[] =>
  (names as readonly string[]).map((name) => ({
    lamports: Number(name.split(' ')[1]),
    owner: 'x',
    data: ['', 'base64'],
  }));

it.each([
  [null, 1],
  [10, 1],
  [50, 2],
  [200, 8],
  [10_000, 8],
])('a node that answers %s requests a second gets %i requests for balances together', (perSecond, count) => {
  expect(requestsTogether(perSecond)).toBe(count);
});

it('balances of more accounts than a request has come in several requests that are sent together', async () => {
  let slot = 9;
  node.methods = { getMultipleAccounts: (names) => ({ context: { slot: slot++ }, value: lamportsOf(names) }) };
  const balances = await client.balancesOf(accounts, 9);
  expect(client.accountsTogether).toBeGreaterThan(accounts.length);
  expect(node.requests.map(({ questions }) => questions.length)).toEqual([3]);
  expect(balances.map(({ units }) => units)).toEqual(accounts.map((_, nth) => BigInt(nth)));
  expect([0, 99, 100, 199, 200, 249].map((nth) => balances[nth]?.asOf)).toEqual([9, 9, 10, 10, 11, 11]);
});

it.each<[string, (nth: number, value: readonly unknown[]) => unknown]>([
  ['of an earlier block', (nth, value) => ({ context: { slot: nth === 2 ? 8 : 9 }, value })],
  [
    'without one of its accounts',
    (nth, value) => ({ context: { slot: 9 }, value: nth === 2 ? value.slice(1) : value }),
  ],
])('one answer %s credits nothing of the others', async (_which, answer) => {
  let nth = 0;
  node.methods = { getMultipleAccounts: (names) => answer(nth++, lamportsOf(names)) };
  await expect(client.balancesOf(accounts, 9)).rejects.toThrow(ChainUnavailable);
});

it('a node that refuses requests sent together is sent them one by one', async () => {
  node.methods = { getMultipleAccounts: (names) => ({ context: { slot: 9 }, value: lamportsOf(names) }) };
  const { speak } = node;
  node.speak = (answers, isBatch) => (isBatch ? { status: 403, body: '' } : speak(answers, isBatch));
  expect(await client.balancesOf(accounts, 9)).toHaveLength(accounts.length);
  expect(node.requests.map(({ questions }) => questions.length)).toEqual([3, 2, 1, 1, 1]);
});
