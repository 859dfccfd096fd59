import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { AddressTable } from './address-table.js';

/** Few characters, so that keys repeat, begin alike and end alike; NUL, since a table might pad with it. */
const short = string({ unit: constantFrom('0', 'a', 'A', '\0', 'ÿ'), minLength: 1, maxLength: 4 });
const long = integer({ min: 0, max: 60 }).map((index) => `0x${index.toString(16).padStart(40, '0')}`);
/** Texts that a payer may make us look up, also some that are no addresses. */
const asked = array(string({ maxLength: 60, unit: 'binary' }));

function tableOf(keys: Iterable<string>): AddressTable {
  const table = new AddressTable();
  for (const key of keys) table.add(key);
  return table;
}

const near = (key: string): readonly string[] => [
  key.slice(1),
  key.slice(0, -1),
  `${key}\0`,
  `${key}0`,
  key.toUpperCase(),
  key.replace('0', 'a'),
  key.replace('a', 'š'),
  `0${key.slice(1)}`,
];

describe('AddressTable', () => {
  it('answers like a Set, whatever was added and whatever is asked', () => {
    assert(
      property(array(short), array(long), asked, (some, others, questions) => {
        const keys = [...some, ...others];
        const [set, table] = [new Set(keys), tableOf(keys)];
        expect(table.size).toBe(set.size);
        const all = [...keys, ...keys.flatMap(near), ...questions];
        expect(all.filter((key) => table.has(key) !== set.has(key))).toEqual([]);
      }),
    );
  });

  it('answers like a Set through every growth, for keys that differ in one place only', () => {
    assert(
      property(integer({ min: 0, max: 39 }), integer({ min: 1, max: 5_000 }), (place, count) => {
        const keyOf = (index: number): string => {
          const digits = index.toString(16);
          return `0x${'0'.repeat(place)}${digits}`.padEnd(42, '0');
        };
        const keys = Array.from({ length: count }, (_, index) => keyOf(index)).filter((key) => key.length === 42);
        const [set, table] = [new Set(keys), tableOf(keys)];
        expect(table.size).toBe(set.size);
        expect(keys.filter((key) => !table.has(key))).toEqual([]);
        const others = Array.from({ length: count }, (_, index) => keyOf(index).replace('x', '0'));
        expect(others.filter((key) => table.has(key))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('distinguishes keys that begin at the same slot', () => {
    // 20,000 keys in 65,536 slots: about one in five begins where another does.
    const keys = Array.from({ length: 40_000 }, (_, index) => `0x${index.toString(16).padStart(40, '0')}`);
    const table = tableOf(keys.filter((_, index) => index % 2 === 0));
    expect(keys.filter((key) => table.has(key))).toEqual(keys.filter((_, index) => index % 2 === 0));
  });

  it.each([
    ['empty', ''],
    ['45 characters', 'k'.repeat(45)],
    ['a character of two bytes', '0xš'],
  ])('refuses a key that it could not hold whole, and is as before: %s', (_, key) => {
    const table = tableOf(['0xaa']);
    expect(() => table.add(key)).toThrow(RangeError);
    expect([table.size, table.has('0xaa'), table.has(key)]).toEqual([1, true, false]);
    table.add('0x');
    expect([table.size, table.has('0x')]).toEqual([2, true]);
  });
});
