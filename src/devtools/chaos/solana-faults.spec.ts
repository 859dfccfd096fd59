import { SolanaLab } from '../../../test/support/solana-lab.js';
import { FaultProxy } from './fault-proxy.js';
import { SOLANA_FAULTS } from './solana-faults.js';

let lab: SolanaLab;
let proxy: FaultProxy;
let paid: { readonly owner: string; readonly txHash: string };
beforeAll(async () => {
  lab = await SolanaLab.open();
  const { address: owner } = await lab.newWallet();
  paid = { owner, txHash: await lab.controls.fund({ owner, token: null, amount: 1_000_000_000n }) };
  await lab.controls.mine(60);
  await lab.settle();
  proxy = await FaultProxy.start({ target: { url: lab.chain.url }, seed: 1 });
});
afterAll(async () => {
  await proxy.stop();
  await lab.close();
});
afterEach(() => proxy.heal());

/** Asks one method, and returns its result or the code of its error. */
async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { code: number } };
  return answer.error === undefined ? answer.result : answer.error.code;
}

function arm(name: string): void {
  const fault = SOLANA_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new Error(`There is no fault ${name}.`);
  proxy.arm([fault]);
}

const answered = (method: string, ...params: readonly unknown[]) => ask(proxy.url, method, ...params);
const truthOf = (method: string, ...params: readonly unknown[]) => ask(lab.chain.url, method, ...params);
const ANY_VERSION = { maxSupportedTransactionVersion: 1 };
const HEADERS = { commitment: 'finalized', transactionDetails: 'none', rewards: false, ...ANY_VERSION };

describe('a fault of a node of Solana', () => {
  it('lag: hides the newest slots and their blocks, and nothing below', async () => {
    arm('lag');
    const finalSlot = Number(await truthOf('getSlot', { commitment: 'finalized' }));
    expect(await answered('getSlot', { commitment: 'finalized' })).toBe(finalSlot - 20);
    expect(await answered('getBlock', finalSlot, HEADERS)).toBe(-32_004);
    expect(await answered('getBlock', finalSlot - 30, HEADERS)).toEqual(
      await truthOf('getBlock', finalSlot - 30, HEADERS),
    );
  });

  it('late-signature: leaves out the newest transaction of an address once', async () => {
    arm('late-signature');
    const truth = (await truthOf('getSignaturesForAddress', paid.owner)) as readonly unknown[];
    expect(truth.length).toBeGreaterThan(0);
    expect(await answered('getSignaturesForAddress', paid.owner)).toEqual(truth.slice(1));
    expect(await answered('getSignaturesForAddress', paid.owner)).toEqual(truth);
  });

  it.each<[name: string, ask: () => [method: string, ...params: unknown[]], answer: unknown]>([
    ['no-history', () => ['getSignaturesForAddress', paid.owner], []],
    ['no-transactions', () => ['getTransaction', paid.txHash, ANY_VERSION], null],
    ['unsupported-version', () => ['getTransaction', paid.txHash, ANY_VERSION], -32_015],
    ['missing-blocks', () => ['getBlock', 14, HEADERS], -32_009],
    ['wrong-genesis', () => ['getGenesisHash'], '1'.repeat(32)],
    ['null', () => ['getSlot'], null],
  ])('%s: answers that alone', async (name, question, answer) => {
    arm(name);
    const [method, ...params] = question();
    expect(await truthOf(method, ...params)).not.toEqual(answer);
    expect(await answered(method, ...params)).toEqual(answer);
    expect(proxy.hits.get(name)).toBe(1);
  });

  it('understated-expiry: takes 100 blocks off the last valid height', async () => {
    arm('understated-expiry');
    const height = (answer: unknown) =>
      (answer as { value: { lastValidBlockHeight: number } }).value.lastValidBlockHeight;
    const truth = height(await truthOf('getLatestBlockhash', { commitment: 'finalized' }));
    expect(height(await answered('getLatestBlockhash', { commitment: 'finalized' }))).toBe(truth - 100);
  });

  it('forked-slot: has another hash at every third slot', async () => {
    arm('forked-slot');
    expect(await answered('getBlock', 13, HEADERS)).toEqual(await truthOf('getBlock', 13, HEADERS));
    const [truth, lie] = [await truthOf('getBlock', 12, HEADERS), await answered('getBlock', 12, HEADERS)];
    expect(lie).toEqual({ ...(truth as object), blockhash: expect.any(String) });
    expect(lie).not.toEqual(truth);
  });
});
