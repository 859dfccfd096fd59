import * as fc from 'fast-check';
import { id } from 'ethers';
import type { LogEntry } from '../log-entry.js';
import { decodeTransfer, TRANSFER_TOPIC } from './transfer-log.js';

const TOKEN = `0x${'a1'.repeat(20)}`;
const PAYER = `0x${'b2'.repeat(20)}`;
const WALLET = `0x${'c3'.repeat(20)}`;
const LISTED = new Set([TOKEN]);

const topicOf = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2)}`;
const upper = (text: unknown): string => `0x${String(text).slice(2).toUpperCase()}`;

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((raw) => `0x${Buffer.from(raw).toString('hex')}`);
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

const GOOD: LogEntry = {
  blockHash: `0x${'01'.repeat(32)}`,
  txHash: `0x${'02'.repeat(32)}`,
  logIndex: 0,
  address: TOKEN,
  topics: [TRANSFER_TOPIC, topicOf(PAYER), topicOf(WALLET)],
  data: word(25_000_000n),
  removed: false,
};

describe('decodeTransfer', () => {
  it('reads a clean transfer, whatever the case of its letters', () => {
    const transfer = { token: TOKEN, from: PAYER, to: WALLET, amount: 25_000_000n };
    expect(TRANSFER_TOPIC).toBe(id('Transfer(address,address,uint256)'));
    expect(decodeTransfer(GOOD, LISTED)).toEqual(transfer);
    const shouted = {
      ...GOOD,
      address: upper(GOOD.address),
      topics: [TRANSFER_TOPIC, upper(topicOf(PAYER)), upper(topicOf(WALLET))],
    };
    expect(decodeTransfer(shouted, LISTED)).toEqual(transfer);
  });

  it('reads the greatest amount exactly', () => {
    expect(decodeTransfer({ ...GOOD, data: word(2n ** 256n - 1n) }, LISTED)?.amount).toBe(2n ** 256n - 1n);
  });

  it.each<[string, Partial<LogEntry>]>([
    ['[G-83] an unlisted contract', { address: `0x${'a1'.repeat(19)}a2` }],
    ['[G-83] an unlisted contract with the same last bytes', { address: `0x${'00'.repeat(10)}${'a1'.repeat(10)}` }],
    ['[G-86] another event', { topics: [id('Approval(address,address,uint256)'), topicOf(PAYER), topicOf(WALLET)] }],
    ['[G-86] four topics, as an NFT has', { topics: [TRANSFER_TOPIC, topicOf(PAYER), topicOf(WALLET), word(1n)] }],
    ['[G-86] two topics', { topics: [TRANSFER_TOPIC, topicOf(WALLET)] }],
    [
      '[G-86] dirty upper bytes of the recipient',
      { topics: [TRANSFER_TOPIC, topicOf(PAYER), `0x01${topicOf(WALLET).slice(4)}`] },
    ],
    [
      '[G-86] dirty upper bytes of the sender',
      { topics: [TRANSFER_TOPIC, `0x${'0'.repeat(23)}1${PAYER.slice(2)}`, topicOf(WALLET)] },
    ],
    ['[G-86] a short topic', { topics: [TRANSFER_TOPIC, PAYER, WALLET] }],
    ['[G-86] data of 31 bytes', { data: word(1n).slice(0, -2) }],
    ['[G-86] data of two words', { data: `${word(1n)}${'0'.repeat(64)}` }],
    ['[G-86] no data', { data: '0x' }],
    ['[G-86] data that is not hex', { data: `0x${'zz'.repeat(32)}` }],
    ['[G-87] a value of zero', { data: word(0n) }],
    ['[F-72] a log taken back', { removed: true }],
  ])('reads %s as no transfer', (_name, change) => {
    expect(decodeTransfer({ ...GOOD, ...change }, LISTED)).toBeNull();
  });

  it('[G-86] never throws, and accepts a random log only if encoding the result returns the same log', () => {
    const topic = fc.oneof(
      fc.constant(TRANSFER_TOPIC),
      hex(20).map(topicOf),
      hex(32),
      hex(20),
      fc.string(),
      fc.constant(null),
    );
    const log = fc.record({
      address: fc.oneof(fc.constant(TOKEN), hex(20), fc.anything()),
      topics: fc.oneof(
        fc.tuple(fc.constant(TRANSFER_TOPIC), hex(20).map(topicOf), hex(20).map(topicOf)),
        fc.array(topic, { maxLength: 5 }),
        fc.anything(),
      ),
      data: fc.oneof(hex(32), fc.bigInt({ min: 0n, max: 3n }).map(word), hex(31), hex(64), fc.anything()),
      removed: fc.oneof(fc.boolean(), fc.constant(undefined)),
    });
    let taken = 0;
    fc.assert(
      fc.property(log, (random) => {
        const transfer = decodeTransfer({ ...GOOD, ...random }, LISTED);
        if (transfer === null) return;
        taken += 1;
        expect(random).toEqual({
          address: transfer.token,
          topics: [TRANSFER_TOPIC, topicOf(transfer.from), topicOf(transfer.to)],
          data: word(transfer.amount),
          removed: random.removed,
        });
        expect(random.removed).not.toBe(true);
        expect(transfer.amount).toBeGreaterThan(0n);
      }),
      { numRuns: 5_000 },
    );
    // Without accepted logs, the property would hold for a decoder that rejects everything.
    expect(taken).toBeGreaterThan(50);
  });
});
