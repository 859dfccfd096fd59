import * as fc from 'fast-check';
import { keccak256 } from 'ethers';
import { mayHold } from './logs-bloom.js';
import { TRANSFER_TOPIC } from './transfer-log.js';

const EMPTY = `0x${'00'.repeat(256)}`;
const FULL = `0x${'ff'.repeat(256)}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((raw) => `0x${Buffer.from(raw).toString('hex')}`);

/** Returns the bloom of these items by the Yellow Paper, as a second implementation. */
function bloomOf(items: readonly string[]): string {
  const bytes = new Uint8Array(256);
  for (const item of items) {
    const hash = Buffer.from(keccak256(item).slice(2), 'hex');
    for (const at of [0, 2, 4]) {
      const bit = hash.readUInt16BE(at) & 2047;
      bytes[255 - (bit >> 3)] = (bytes[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
    }
  }
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

describe('mayHold [F-68]', () => {
  it('has no false negatives', () => {
    fc.assert(
      fc.property(address, fc.array(address), (token, others) => {
        const bloom = bloomOf([token, TRANSFER_TOPIC, ...others]);
        expect(mayHold(bloom, [`0x${'01'.repeat(20)}`, token], TRANSFER_TOPIC)).toBe(true);
      }),
    );
  });

  it('denies a contract or a topic that is not in it', () => {
    const token = `0x${'a1'.repeat(20)}`;
    expect(mayHold(bloomOf([token]), [token], TRANSFER_TOPIC)).toBe(false);
    expect(mayHold(bloomOf([TRANSFER_TOPIC]), [token], TRANSFER_TOPIC)).toBe(false);
    expect(mayHold(EMPTY, [token], TRANSFER_TOPIC)).toBe(false);
    expect(mayHold(FULL, [token], TRANSFER_TOPIC)).toBe(true);
    expect(mayHold(FULL, [], TRANSFER_TOPIC)).toBe(false);
  });
});
