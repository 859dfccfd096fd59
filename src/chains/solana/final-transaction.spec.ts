import { FakeNode } from '../../../test/support/fake-node.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { SolanaClient } from './solana-client.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const holding = (accountIndex: number, amount: string, owner?: string) => {
  return { accountIndex, mint: USDC, owner, uiTokenAmount: { amount } };
};

/** A payment of the hot wallet that opens the account `b` for `B`. */
const meta = {
  err: null,
  fee: 5_000,
  preBalances: [10_000_000, 1_488_440, 0],
  postBalances: [8_506_560, 1_488_440, 1_488_440],
  preTokenBalances: [holding(1, '100', 'hot')],
  postTokenBalances: [holding(1, '75', 'hot'), holding(2, '25', 'B')],
};
const transaction = { message: { accountKeys: ['hot', 'a', 'b'] }, signatures: ['id'] };
const paid = { slot: 7, transaction, meta };

let node: FakeNode;
let client: SolanaClient;
beforeEach(async () => {
  node = await FakeNode.start();
  client = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: node.url });
});
afterEach(async () => {
  await client.close();
  await node.stop();
});

/** Reads the transaction from a node that answers this. */
async function read(answer: unknown, tokens = [USDC]) {
  node.methods = {
    getTransaction: () => answer,
    getBlock: (slot) => ({ blockhash: `hash of ${String(slot)}`, blockHeight: 5 }),
  };
  return (await client.finalTransactionsOf(['id'], tokens))[0];
}

describe('a final transaction', () => {
  it('changed tokens by owner, and coins by account: the rent of a token account is in it', async () => {
    expect(await read(paid)).toEqual({
      txHash: 'id',
      blockHash: 'hash of 7',
      height: 7,
      succeeded: true,
      fee: 5_000n,
      changes: [
        { owner: 'hot', token: NATIVE_COIN, units: -1_493_440n },
        { owner: 'b', token: NATIVE_COIN, units: 1_488_440n },
        { owner: 'hot', token: USDC, units: -25n },
        { owner: 'B', token: USDC, units: 25n },
      ],
    });
    expect((await read(paid, []))?.changes).toHaveLength(2);
  });

  it('that failed changed nothing but its fee', async () => {
    const err = { InstructionError: [3, { Custom: 17 }] };
    const preTokenBalances = meta.postTokenBalances;
    const preBalances = [8_511_560, ...meta.postBalances.slice(1)];
    const failed = { ...paid, meta: { ...meta, err, preBalances, preTokenBalances } };
    expect(await read(failed)).toMatchObject({
      succeeded: false,
      fee: 5_000n,
      changes: [{ owner: 'hot', token: NATIVE_COIN, units: -5_000n }],
    });
  });

  it('is exact also where an owner has more coins than a number holds exactly', async () => {
    const raw = (digits: string): unknown => JSON.rawJSON(digits);
    const preBalances = [10_000, 0, raw('9007199254740993')];
    const postBalances = [4_999, 0, raw('9007199254740994')];
    const { changes = [] } = (await read({ ...paid, meta: { ...meta, preBalances, postBalances } }, [])) ?? {};
    expect(changes).toEqual([
      { owner: 'hot', token: NATIVE_COIN, units: -5_001n },
      { owner: 'b', token: NATIVE_COIN, units: 1n },
    ]);
  });

  it('counts the accounts of lookup tables, and those that a transaction empties', async () => {
    const loaded = {
      ...paid,
      transaction: { ...transaction, message: { accountKeys: ['hot'] } },
      meta: { ...meta, loadedAddresses: { writable: ['a'], readonly: ['b'] }, postTokenBalances: [] },
    };
    expect((await read(loaded))?.changes).toContainEqual({ owner: 'b', token: NATIVE_COIN, units: 1_488_440n });
    expect((await read(loaded))?.changes).toContainEqual({ owner: 'hot', token: USDC, units: -100n });
  });

  it('is not known where the node has none that is final', async () => {
    expect(await read(null)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['another transaction', { ...paid, transaction: { ...transaction, signatures: ['other'] } }],
    ['a rounded balance', { ...paid, meta: { ...meta, postBalances: [0.5, 0, 0] } }],
    ['balances of other accounts', { ...paid, meta: { ...meta, preBalances: [1] } }],
    ['tokens without an owner', { ...paid, meta: { ...meta, postTokenBalances: [holding(2, '25')] } }],
    ['no outcome', { ...paid, meta: { ...meta, err: undefined } }],
    ['no balances', { ...paid, meta: null }],
    [
      'an error that moved coins',
      { ...paid, meta: { ...meta, err: 'AccountInUse', preTokenBalances: [], postTokenBalances: [] } },
    ],
    [
      'an error that moved tokens',
      { ...paid, meta: { ...meta, err: 'AccountInUse', preBalances: [8_511_560, 1_488_440, 1_488_440] } },
    ],
    ['a version that is unknown', { ...paid, version: 2 }],
  ])('with %s is refused, instead of read wrongly', async (_what, answer) => {
    await expect(read(answer)).rejects.toThrow(ChainUnavailable);
  });
});
