import { recordedBlocks, recordedReceipts } from '../../../test/support/tron-vectors.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable, NATIVE_POSITION, type Sighting } from '../chain.js';
import { type ReadBlock, sightingsIn } from './block-transfers.js';
import { hashOfKey, keyOfHash } from './tron-address.js';
import { listedTokens } from './transfer-log.js';

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TETHER = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const OTHER_TOKEN = '11'.repeat(20);
const US = keyOfHash('aa'.repeat(20));
const PAYER = keyOfHash('bb'.repeat(20));
const STRANGER = keyOfHash('cc'.repeat(20));
const ID = '0a'.repeat(32);
const OTHER_ID = '0b'.repeat(32);
const HEIGHT = 7;
const TIME = 1_750_000_002_000;

type Fields = Readonly<Record<string, unknown>>;

const hex = (key: string): string => `41${hashOfKey(key)}`;
const word = (hash: string): string => hash.padStart(64, '0');

const header = {
  height: HEIGHT,
  hash: '7'.padStart(16, '0') + '00'.repeat(24),
  parentHash: '00'.repeat(32),
  time: new Date(TIME),
};

const transaction = (type: string, value: Fields, more: Fields = {}): Fields => ({
  ret: [{ contractRet: 'SUCCESS' }],
  txID: ID,
  raw_data: { contract: [{ parameter: { value }, type }] },
  ...more,
});

const trx = (value: Fields = {}, more: Fields = {}): Fields =>
  transaction('TransferContract', { amount: 5, owner_address: hex(PAYER), to_address: hex(US), ...value }, more);

const call = (value: Fields = {}, more: Fields = {}): Fields =>
  transaction('TriggerSmartContract', { contract_address: hex(TETHER), owner_address: hex(PAYER), ...value }, more);

const info = (more: Fields = {}): Fields => ({
  id: ID,
  blockNumber: HEIGHT,
  blockTimeStamp: TIME,
  contractResult: [''],
  receipt: { net_usage: 265 },
  ...more,
});

const log = (more: Fields = {}): Fields => ({
  address: hashOfKey(TETHER),
  topics: [TRANSFER, word(hashOfKey(PAYER)), word(hashOfKey(US))],
  data: word('64'),
  ...more,
});

/** The info of a call whose return data says false, as that of USDT does. */
const called = (logs: readonly unknown[], more: Fields = {}): Fields =>
  info({ contractResult: [word('0')], receipt: { result: 'SUCCESS' }, log: logs, ...more });

const blockOf = (transactions: readonly unknown[], infos: readonly unknown[]): ReadBlock => ({
  header,
  transactions,
  infos,
});

function sightings(
  block: ReadBlock,
  isOurs = (address: string): boolean => address === hashOfKey(US),
): readonly Sighting[] {
  return sightingsIn(block, { tokens: listedTokens([TETHER]), native: true, isOurs });
}

describe('the transfers of a block', () => {
  it('are the transfers of TRX to us, whose info has no result', () => {
    expect(sightings(blockOf([trx()], [info()]))).toEqual([
      { txHash: ID, position: NATIVE_POSITION, token: NATIVE_COIN, from: PAYER, to: US, amount: 5n },
    ]);
  });

  it('are the Transfer logs of listed tokens to us, at their places in the transaction', () => {
    const toStranger = log({ topics: [TRANSFER, word(hashOfKey(PAYER)), word(hashOfKey(STRANGER))] });
    const more = log({ data: 'ff'.repeat(32) });
    expect(sightings(blockOf([call()], [called([toStranger, log(), more])]))).toEqual([
      { txHash: ID, position: 1, token: TETHER, from: PAYER, to: US, amount: 100n },
      { txHash: ID, position: 2, token: TETHER, from: PAYER, to: US, amount: 2n ** 256n - 1n },
    ]);
  });

  it('are in the order of the block, whatever the order of the infos', () => {
    const later = trx({ amount: 6 }, { txID: OTHER_ID });
    const found = sightings(blockOf([call(), later], [info({ id: OTHER_ID }), called([log()])]));
    expect(found.map(({ txHash, amount }) => [txHash, amount])).toEqual([
      [ID, 100n],
      [OTHER_ID, 6n],
    ]);
  });

  it('are without the coin where it is not asked for', () => {
    const query = { tokens: listedTokens([TETHER]), native: false, isOurs: () => true };
    expect(sightingsIn(blockOf([trx()], [info()]), query)).toEqual([]);
  });

  it.each<[what: string, transaction: Fields, info: Fields]>([
    ['TRX that failed', trx({}, { ret: [{ contractRet: 'REVERT' }] }), info()],
    ['TRX whose info says that it failed', trx(), info({ result: 'FAILED' })],
    ['TRX without a result', trx({}, { ret: [{}] }), info()],
    ['TRX to a stranger', trx({ to_address: hex(STRANGER) }), info()],
    ['TRX for a call to a contract at our address', call({ contract_address: hex(US), call_value: 5 }), info()],
    [
      'TRX of an internal transaction',
      call(),
      called([], { internal_transactions: [{ transferTo_address: hex(US) }] }),
    ],
    [
      'a TRC-10 token',
      transaction('TransferAssetContract', { amount: 5, owner_address: hex(PAYER), to_address: hex(US) }),
      info(),
    ],
    ['an unknown contract', transaction('LaterContract', { amount: 5, to_address: hex(US) }), info()],
    [
      'a token that ran out of energy',
      call({}, { ret: [{ contractRet: 'OUT_OF_ENERGY' }] }),
      called([log()], { receipt: { result: 'OUT_OF_ENERGY' }, result: 'FAILED' }),
    ],
    [
      'a token that was reverted and paid a fee',
      call({}, { ret: [{ contractRet: 'REVERT' }] }),
      called([log()], { fee: 345_000, receipt: { net_fee: 345_000, result: 'REVERT' } }),
    ],
    ['a token without a result of its receipt', call(), called([log()], { receipt: { net_usage: 345 } })],
    ['a token without a receipt', call(), called([log()], { receipt: undefined })],
    ['a token with a result FAILED', call(), called([log()], { result: 'FAILED' })],
    ['an unlisted token', call(), called([log({ address: OTHER_TOKEN })])],
    ['a token with the address of another form', call(), called([log({ address: hex(TETHER) })])],
    [
      'another event',
      call(),
      called([log({ topics: ['00'.repeat(32), word(hashOfKey(PAYER)), word(hashOfKey(US))] })]),
    ],
    ['two topics', call(), called([log({ topics: [TRANSFER, word(hashOfKey(US))] })])],
    [
      'four topics, as of an NFT',
      call(),
      called([log({ topics: [TRANSFER, word(hashOfKey(PAYER)), word(hashOfKey(US)), word('1')] })]),
    ],
    [
      'bytes before the recipient',
      call(),
      called([log({ topics: [TRANSFER, word(hashOfKey(PAYER)), word(`41${hashOfKey(US)}`)] })]),
    ],
    [
      'bytes before the sender',
      call(),
      called([log({ topics: [TRANSFER, word(`41${hashOfKey(PAYER)}`), word(hashOfKey(US))] })]),
    ],
    ['an amount of zero', call(), called([log({ data: word('0') })])],
    ['data of two words', call(), called([log({ data: word('64') + word('0') })])],
    ['no data', call(), called([log({ data: undefined })])],
    ['data with a prefix', call(), called([log({ data: `0x${word('64')}` })])],
    ['a log that is no object', call(), called([null, 'log'])],
  ])('are not %s', (_what, order, outcome) => {
    expect(sightings(blockOf([order], [outcome]))).toEqual([]);
  });

  it.each<[what: string, block: ReadBlock]>([
    ['no infos', blockOf([trx()], [])],
    ['infos of no transactions', blockOf([], [info()])],
    ['the info of another transaction', blockOf([trx()], [info({ id: OTHER_ID })])],
    ['one info twice', blockOf([trx(), trx({}, { txID: OTHER_ID })], [info(), info()])],
    ['a transaction twice', blockOf([trx(), trx()], [info(), info({ id: OTHER_ID })])],
    ['an info of another height', blockOf([trx()], [info({ blockNumber: HEIGHT + 1 })])],
    ['an info of another fork, made in another slot', blockOf([trx()], [info({ blockTimeStamp: TIME + 3_000 })])],
    ['an info without a height', blockOf([trx()], [info({ blockNumber: undefined })])],
    [
      'a log that succeeded of a call that did not',
      blockOf([call({}, { ret: [{ contractRet: 'REVERT' }] })], [called([log()])]),
    ],
    ['a transaction that is no object', blockOf([null], [info()])],
    ['a transaction without an id', blockOf([trx({}, { txID: undefined })], [info()])],
    ['an id in capitals', blockOf([trx({}, { txID: ID.toUpperCase() })], [info()])],
    ['a transaction without a contract', blockOf([trx({}, { raw_data: { contract: [] } })], [info()])],
    ['an amount that is a text', blockOf([trx({ amount: '5' })], [info()])],
    ['an amount below zero', blockOf([trx({ amount: -5 })], [info()])],
    ['an amount of zero', blockOf([trx({ amount: 0 })], [info()])],
    ['no amount', blockOf([trx({ amount: undefined })], [info()])],
    ['an amount that no number holds exactly', blockOf([trx({ amount: 2 ** 53 })], [info()])],
    ['a recipient in base58', blockOf([trx({ to_address: US })], [info()])],
    ['no sender', blockOf([trx({ owner_address: undefined })], [info()])],
    ['logs that are no list', blockOf([call()], [called([], { log: {} })])],
  ])('are unknown with %s', (_what, block) => {
    expect(() => sightings(block)).toThrow(ChainUnavailable);
  });
});

describe('a recorded answer', () => {
  it.each(recordedBlocks())('of $network: TRX is read from its block', ({ block }) => {
    const { blockID, block_header, transactions } = block;
    const { number, parentHash, timestamp } = block_header.raw_data;
    const infos = transactions.map(({ txID }) => ({ id: txID, blockNumber: number, blockTimeStamp: timestamp }));
    const place = { height: number, hash: blockID, parentHash, time: new Date(timestamp) };
    const found = sightings({ header: place, transactions, infos }, () => true);
    const orders = transactions.filter((one) => JSON.stringify(one.raw_data).includes('"TransferContract"'));
    expect(found.map(({ txHash, position }) => ({ txHash, position }))).toEqual(
      orders.map(({ txID }) => ({ txHash: txID, position: NATIVE_POSITION })),
    );
  });

  it.each(recordedReceipts().filter(({ info: { receipt } }) => receipt !== undefined))(
    'of "$kind" is a payment when it succeeded and moved USDT',
    ({ info: recorded }) => {
      const { id, blockNumber, blockTimeStamp, receipt, log: logs, result } = recorded;
      const place = { ...header, height: Number(blockNumber), time: new Date(Number(blockTimeStamp)) };
      const order = call({}, { txID: id, ret: [{ contractRet: (receipt as Fields)['result'] ?? 'SUCCESS' }] });
      const found = sightings({ header: place, transactions: [order], infos: [recorded] }, () => true);
      const moved = ((logs ?? []) as readonly Fields[]).filter(({ address }) => address === hashOfKey(TETHER));
      expect(found.map(({ amount }) => amount)).toEqual(
        result === undefined ? moved.map(({ data }) => BigInt(`0x${String(data)}`)) : [],
      );
    },
  );
});
