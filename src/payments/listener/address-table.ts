/** The longest key that a family writes: 32 bytes in base58. One of EVM has 42 characters, one of Tron 34. */
const KEY_LENGTH_MAX = 44;
/** A key's length, then its characters. */
const RECORD_BYTES = 1 + KEY_LENGTH_MAX;
const SLOTS_AT_FIRST = 1_024;
const CHARACTER_MAX = 0xff;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** The finishing multiplier of MurmurHash3. */
const MIX = 0x85ebca6b;

/**
 * A set of address keys, as the pool stores them, of any family, in flat arrays: a million keys take 57 MB, and the
 * garbage collector sees three objects instead of a million strings. Open addressing, at most half full. Every lookup
 * compares the whole key, so there are no false positives. The longest run of keys in the table bounds its cost, and
 * payers cannot lengthen it: we derive the keys, payers choose only what is looked up.
 */
export class AddressTable {
  private count = 0;
  /** Per slot the number of the record in it, counted from 1; 0 = empty. The length is a power of two. */
  private slots = new Uint32Array(SLOTS_AT_FIRST);
  /** By record. */
  private hashes = new Uint32Array(recordsFor(SLOTS_AT_FIRST));
  private keys = new Uint8Array(recordsFor(SLOTS_AT_FIRST) * RECORD_BYTES);

  get size(): number {
    return this.count;
  }

  /**
   * Adds a key of 1 to 44 Latin-1 characters; a key that is already present changes nothing.
   * @throws RangeError
   */
  add(key: string): void {
    const hash = hashOf(key);
    const slot = this.find(key, hash);
    if (this.slots[slot] !== 0) return;
    const record = this.count + 1;
    this.write(record, key);
    this.hashes[record] = hash;
    this.slots[slot] = record;
    this.count = record;
    if (this.count * 2 === this.slots.length) this.grow();
  }

  /** Whether exactly this key was added. */
  has(key: string): boolean {
    return this.slots[this.find(key, hashOf(key))] !== 0;
  }

  /** The slot that holds the key, or the empty one where it belongs. */
  private find(key: string, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const record = this.slots[slot] ?? 0;
      if (record === 0 || (this.hashes[record] === hash && this.holds(record, key))) return slot;
    }
  }

  private holds(record: number, key: string): boolean {
    const at = record * RECORD_BYTES;
    if (this.keys[at] !== key.length) return false;
    for (let i = 0; i < key.length; i++) {
      if (this.keys[at + 1 + i] !== key.charCodeAt(i)) return false;
    }
    return true;
  }

  private write(record: number, key: string): void {
    if (key.length === 0 || key.length > KEY_LENGTH_MAX) throw new RangeError(`No address key is ${key.length} long.`);
    const at = record * RECORD_BYTES;
    this.keys[at] = key.length;
    for (let i = 0; i < key.length; i++) {
      const character = key.charCodeAt(i);
      if (character > CHARACTER_MAX) throw new RangeError('No address key has such a character.');
      this.keys[at + 1 + i] = character;
    }
  }

  private grow(): void {
    const { hashes, keys } = this;
    const slotCount = this.slots.length * 2;
    this.slots = new Uint32Array(slotCount);
    this.hashes = new Uint32Array(recordsFor(slotCount));
    this.hashes.set(hashes);
    this.keys = new Uint8Array(recordsFor(slotCount) * RECORD_BYTES);
    this.keys.set(keys);
    const mask = slotCount - 1;
    for (let record = 1; record <= this.count; record++) {
      let slot = (hashes[record] ?? 0) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = record;
    }
  }
}

/** Room for half as many keys as there are slots; the place before the first stays empty. */
function recordsFor(slotCount: number): number {
  return slotCount / 2 + 1;
}

/** FNV-1a over the characters; at the end the high bits are mixed into the low ones, which choose the slot. */
function hashOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), MIX);
  return (hash ^ (hash >>> 13)) >>> 0;
}
