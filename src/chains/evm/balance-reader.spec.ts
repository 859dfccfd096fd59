import { AnvilNode } from '../../../test/support/anvil-node.js';
import { FakeNode, type RpcAnswer } from '../../../test/support/fake-node.js';
import { hexOf } from '../../../test/support/probe-contracts.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { type BlockRef, ChainUnavailable, NodeBusy } from '../chain.js';
import { JsonRpc } from '../rpc/json-rpc.js';
import { BalanceReader } from './balance-reader.js';

const BLOCK: BlockRef = { height: 100, hash: `0x${'01'.repeat(32)}` };
const PER_CALL = 1_000;
const REFUSED_FOR_MS = 600_000;
/** EIP-3860 and EIP-170. */
const INIT_CODE_MAX_BYTES = 49_152;
const CODE_MAX_BYTES = 24_576;

/** Distinct addresses above those of precompiles. */
const addresses = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `0x${(i + 0x1_0000).toString(16).padStart(40, '0')}`);

describe('balances of many addresses on a real node', () => {
  let node: AnvilNode;
  let proxy: ProxyNode;
  let rpc: JsonRpc;

  beforeAll(async () => {
    node = await AnvilNode.start();
    proxy = await ProxyNode.start(node.url);
    rpc = new JsonRpc(proxy.url);
  });
  afterAll(async () => {
    await rpc.close();
    await proxy.stop();
    await node.stop();
  });

  const setBalance = (address: string, units: bigint): Promise<void> =>
    node.send('anvil_setBalance', address, hexOf(units));

  /** A new block in which the addresses hold this much. */
  async function holding(balances: ReadonlyMap<string, bigint>): Promise<BlockRef> {
    for (const [address, units] of balances) await setBalance(address, units);
    await node.mine();
    const block = await node.head();
    // What is set from here on belongs to the next block.
    await node.mine();
    return block;
  }

  it('equal those that the node returns one by one, in the given order, in one request', async () => {
    const asked = addresses(PER_CALL);
    const [first = '', second = ''] = asked;
    const last = asked.at(-1) ?? '';
    const block = await holding(
      new Map([
        [first, 1n],
        [second, 2n ** 120n - 1n],
        [asked[517] ?? '', 10n ** 18n],
        [last, 256n],
      ]),
    );
    // Code and a delegation change nothing about a balance.
    await node.send('anvil_setCode', first, '0x60006000fd');
    await node.send('anvil_setCode', last, `0xef0100${second.slice(2)}`);
    const { height, hash } = await holding(new Map());
    const calls = proxy.count('eth_call');
    const read = await new BalanceReader(rpc).read({ height, hash }, asked);
    expect(proxy.count('eth_call')).toBe(calls + 1);
    const truth = await rpc.batch(asked.map((address) => ({ method: 'eth_getBalance', params: [address, 'latest'] })));
    expect(read).toEqual(truth.map((answer) => BigInt(String(answer))));
    expect(read.filter((units) => units > 0n)).toHaveLength(4);
    expect(await new BalanceReader(rpc).read(block, asked.toReversed())).toEqual(read.toReversed());
  });

  it('are those after exactly this block, and fail when the node does not have it', async () => {
    const asked = addresses(20);
    const [first = ''] = asked;
    const before = await holding(new Map([[first, 5n]]));
    await holding(new Map([[first, 6n]]));
    const reader = new BalanceReader(rpc);
    expect((await reader.read(before, asked))[0]).toBe(5n);
    for (let i = 0; i < 4; i++) await expect(reader.read(BLOCK, asked)).rejects.toThrow(ChainUnavailable);
    // The block was the reason, so the node is called again.
    expect(reader.addressesPerRequest).toBe(PER_CALL);
  });

  it('are exact too when one is larger than a call can return', async () => {
    const asked = addresses(20);
    const [first = ''] = asked;
    const block = await holding(new Map([[first, 2n ** 256n - 1n]]));
    expect((await new BalanceReader(rpc).read(block, asked))[0]).toBe(2n ** 256n - 1n);
    await setBalance(first, 0n);
  });

  it('of more than 1,000 addresses take one request for each 1,000, and few addresses one batch', async () => {
    const block = await node.head();
    const before = new Map(proxy.asked);
    expect(await new BalanceReader(rpc).read(block, addresses(2_005))).toHaveLength(2_005);
    expect(proxy.count('eth_call') - (before.get('eth_call') ?? 0)).toBe(2);
    expect(proxy.count('eth_getBalance') - (before.get('eth_getBalance') ?? 0)).toBe(5);
  });
});

describe('balances of many addresses on a node that cannot or will not answer a call', () => {
  const ASKED = addresses(20);
  const TRUTH = ASKED.map((address) => BigInt(address));
  const answerOf = (balances: readonly bigint[]): string =>
    `0x${balances.map((units) => units.toString(16).padStart(32, '0')).join('')}`;

  let node: FakeNode;
  let rpc: JsonRpc;
  let nowMs: number;
  let reader: BalanceReader;
  let call: () => unknown;

  beforeEach(async () => {
    call = () => answerOf(TRUTH);
    node = await FakeNode.start({
      eth_call: () => call(),
      eth_getBalance: (address) => hexOf(BigInt(String(address))),
    });
    rpc = new JsonRpc(node.url);
    nowMs = 0;
    reader = new BalanceReader(rpc, () => nowMs);
  });
  afterEach(async () => {
    await rpc.close();
    await node.stop();
  });

  const methods = (): string[] => node.requests.map(({ questions }) => questions[0]?.method ?? '');
  const refuse = (): never => {
    throw new Error('contract creation without a sender');
  };

  it('fit the limits of init code and of code', async () => {
    call = () => answerOf(addresses(PER_CALL).map(() => 0n));
    await reader.read(BLOCK, addresses(PER_CALL));
    const [question] = node.requests[0]?.questions ?? [];
    const [{ data = '', to = null } = {}, at] = (question?.params ?? []) as [{ data?: string; to?: string }?, object?];
    expect({ to, at }).toEqual({ to: null, at: { blockHash: BLOCK.hash } });
    expect(data.length / 2 - 1).toBe(55 + 20 * PER_CALL);
    expect(data.length / 2 - 1).toBeLessThanOrEqual(INIT_CODE_MAX_BYTES);
    expect(answerOf(addresses(PER_CALL).map(() => 0n)).length / 2 - 1).toBeLessThanOrEqual(CODE_MAX_BYTES);
  });

  it.each<[string, () => unknown]>([
    ['refused', refuse],
    ['nothing', () => '0x'],
    ['null', () => null],
    ['cut short', () => answerOf(TRUTH.slice(1))],
    ['cut within a balance', () => answerOf(TRUTH).slice(0, -1)],
    ['too long', () => answerOf([...TRUTH, 0n])],
    ['no hexadecimal', () => answerOf(TRUTH).replace(/.$/, 'x')],
  ])('are read one by one when the answer to the call is %s', async (_name, answer) => {
    call = answer;
    await expect(reader.read(BLOCK, ASKED)).resolves.toEqual(TRUTH);
    expect(methods()).toEqual(['eth_call', 'eth_getBalance']);
    expect(node.requests[1]?.questions).toHaveLength(ASKED.length);
  });

  it('are read one by one for ten minutes after three failed calls in a row', async () => {
    call = refuse;
    for (let i = 0; i < 2; i++) await reader.read(BLOCK, ASKED);
    call = () => answerOf(TRUTH);
    await reader.read(BLOCK, ASKED);
    call = refuse;
    for (let i = 0; i < 2; i++) await reader.read(BLOCK, ASKED);
    expect(reader.addressesPerRequest).toBe(PER_CALL);
    await reader.read(BLOCK, ASKED);
    expect(reader.addressesPerRequest).toBe(100);
    call = () => answerOf(TRUTH);
    const before = methods().length;
    nowMs = REFUSED_FOR_MS - 1;
    await reader.read(BLOCK, ASKED);
    nowMs = REFUSED_FOR_MS;
    expect(reader.addressesPerRequest).toBe(PER_CALL);
    await reader.read(BLOCK, ASKED);
    expect(methods().slice(before)).toEqual(['eth_getBalance', 'eth_call']);
  });

  it('are not read another way when the node limits our rate', async () => {
    node.speak = (answers: readonly RpcAnswer[]) => ({
      body: JSON.stringify({ jsonrpc: '2.0', id: answers[0]?.id, error: { code: 429, message: 'Too many requests' } }),
    });
    await expect(reader.read(BLOCK, ASKED)).rejects.toThrow(NodeBusy);
    expect(methods()).toEqual(['eth_call']);
  });
});
