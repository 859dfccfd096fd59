import { createHash } from 'node:crypto';
import { HOT_ADDRESS } from '../../../test/support/tron-transactions.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { outcomeOf } from '../../treasury/expiring/final-outcome.js';
import { finalTransaction, type FoundTransaction } from './final-transaction.js';
import { rawDataBytes } from './transaction-bytes.js';
import { hashOfKey, keyOfHash } from './tron-address.js';
import type { TronAction } from './unsigned-transaction.js';

const RECIPIENT = keyOfHash('a1'.repeat(20));
const USDT = keyOfHash('b2'.repeat(20));
const OTHER = keyOfHash('c3'.repeat(20));
const TIME = 1_800_000_000_000;
const HASH = `000000000012d687${'d4'.repeat(24)}`;
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const word = (value: string): string => value.padStart(64, '0');
const logOf = (amount: bigint, { token = USDT, from = HOT_ADDRESS, to = RECIPIENT } = {}) => ({
  address: hashOfKey(token),
  topics: [TRANSFER, word(hashOfKey(from)), word(hashOfKey(to))],
  data: word(amount.toString(16)),
});

type Change = {
  readonly transaction?: Partial<FoundTransaction['transaction']>;
  readonly info?: Partial<FoundTransaction['info']>;
};

function found(action: TronAction, { transaction = {}, info = {} }: Change = {}): FoundTransaction {
  const rawData = rawDataBytes({
    family: 'tron',
    owner: HOT_ADDRESS,
    action,
    refBlock: HASH,
    expiration: TIME + 90_000,
    timestamp: TIME,
    feeLimit: action.kind === 'token' ? 26_200_000n : 0n,
  });
  const id = createHash('sha256').update(rawData).digest('hex');
  const isCall = action.kind === 'token';
  return {
    transaction: {
      txID: id,
      raw_data_hex: Buffer.from(rawData).toString('hex'),
      ret: [{ contractRet: 'SUCCESS' }],
      ...transaction,
    },
    info: {
      id,
      blockNumber: 1_234_567,
      blockTimeStamp: TIME,
      fee: isCall ? 1_500_000 : 268_000,
      receipt: isCall ? { result: 'SUCCESS' } : {},
      log: isCall ? [logOf(action.amount)] : [],
      ...info,
    },
    block: { height: 1_234_567, hash: HASH, parentHash: '', time: new Date(TIME) },
  };
}

const coins: TronAction = { kind: 'coin', to: RECIPIENT, amount: 5n };
const tokens: TronAction = { kind: 'token', to: RECIPIENT, token: USDT, amount: 7n };
const failed = (why: string): Change => ({
  transaction: { ret: [{ contractRet: why }] },
  info: { result: 'FAILED', receipt: { result: why }, log: [], fee: 26_200_000 },
});

describe('a final transaction of tron', () => {
  it('of coins changes what its bytes say, and costs what was burned', () => {
    expect(finalTransaction(found(coins), [USDT])).toEqual({
      txHash: found(coins).transaction.txID,
      blockHash: HASH,
      height: 1_234_567,
      succeeded: true,
      fee: 268_000n,
      changes: [
        { owner: HOT_ADDRESS, token: NATIVE_COIN, units: -268_000n },
        { owner: HOT_ADDRESS, token: NATIVE_COIN, units: -5n },
        { owner: RECIPIENT, token: NATIVE_COIN, units: 5n },
      ],
    });
  });

  it('of tokens changes what its logs say, of the tokens that are asked for', () => {
    const final = finalTransaction(found(tokens), [USDT]);
    expect(final).toMatchObject({ succeeded: true, fee: 1_500_000n });
    expect(final.changes).toEqual([
      { owner: HOT_ADDRESS, token: NATIVE_COIN, units: -1_500_000n },
      { owner: HOT_ADDRESS, token: USDT, units: -7n },
      { owner: RECIPIENT, token: USDT, units: 7n },
    ]);
    expect(finalTransaction(found(tokens), []).changes).toEqual([
      { owner: HOT_ADDRESS, token: NATIVE_COIN, units: -1_500_000n },
    ]);
  });

  it.each(['OUT_OF_ENERGY', 'REVERT'])('that ended with %s changed nothing but its fee', (why) => {
    expect(finalTransaction(found(tokens, failed(why)), [USDT])).toMatchObject({
      succeeded: false,
      fee: 26_200_000n,
      changes: [{ owner: HOT_ADDRESS, token: NATIVE_COIN, units: -26_200_000n }],
    });
  });

  it('has not paid when the token wrote no log, although the chain calls it a success', () => {
    expect(finalTransaction(found(tokens, { info: { log: [] } }), [USDT, OTHER])).toMatchObject({ succeeded: false });
  });

  it('has paid when a part of its amount arrived and the rest went to the issuer', () => {
    const final = finalTransaction(found(tokens, { info: { log: [logOf(1n, { to: OTHER }), logOf(6n)] } }), [
      USDT,
      OTHER,
    ]);
    expect(outcomeOf({ sender: HOT_ADDRESS, recipient: RECIPIENT, token: USDT, amount: 7n }, final)).toMatchObject({
      succeeded: true,
      short: { amount: 7n, arrived: 6n },
    });
  });

  it.each<[string, unknown[]]>([
    ['another amount', [logOf(6n)]],
    ['another recipient', [logOf(7n, { to: OTHER })]],
    ['another sender', [logOf(7n, { from: OTHER })]],
    ['another token', [logOf(7n, { token: OTHER })]],
    ['another token that is not listed', [logOf(7n, { token: keyOfHash('c9'.repeat(20)) })]],
    ['less, and more to its issuer than the rest', [logOf(6n), logOf(2n, { to: OTHER })]],
  ])('neither paid nor failed when there is a log of %s', (_what, log) => {
    const final = finalTransaction(found(tokens, { info: { log } }), [USDT, OTHER]);
    expect(outcomeOf({ sender: HOT_ADDRESS, recipient: RECIPIENT, token: USDT, amount: 7n }, final)).toBeNull();
  });

  it.each<[string, TronAction, Change]>([
    ['a failed info', tokens, { info: { result: 'FAILED' } }],
    ['a failed receipt', tokens, { info: { receipt: { result: 'OUT_OF_ENERGY' } } }],
    ['a receipt without a result', tokens, { info: { receipt: {} } }],
    ['a failed block', tokens, { transaction: { ret: [{ contractRet: 'OUT_OF_ENERGY' }] } }],
    ['a failed block, of coins', coins, { transaction: { ret: [{ contractRet: 'REVERT' }] } }],
    ['an info of another block', coins, { info: { blockNumber: 1_234_566 } }],
    ['an info of another time', coins, { info: { blockTimeStamp: TIME + 3_000 } }],
    ['an info of another transaction', coins, { info: { id: 'ab'.repeat(32) } }],
    ['bytes of another transaction', coins, { transaction: { raw_data_hex: found(tokens).transaction.raw_data_hex } }],
    ['bytes that are none', coins, { transaction: { raw_data_hex: 'ff' } }],
  ])('is unknown with %s', (_what, action, change) => {
    expect(() => finalTransaction(found(action, change), [USDT])).toThrow(ChainUnavailable);
  });
});
