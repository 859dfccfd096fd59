import fc from 'fast-check';
import { searchCandidatesIn } from './search-candidates.js';

const ULID = '01jd2v8w3q4r5s6t7v8w9x0y1z';
const HASH = `0x${'5fA0'.repeat(16)}`;
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const TRON_ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SOLANA_ADDRESS = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA_HASH = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const keysIn = (text: string): string[] => searchCandidatesIn(text).map(({ kind, key }) => `${kind} ${key}`);

describe('the identifiers in a text', () => {
  it.each<[what: string, text: string, key: string]>([
    ['an id in a sentence', `Where is pi_${ULID}?`, `id pi_${ULID}`],
    ['an id in capitals', `PI_${ULID.toUpperCase()}`, `id pi_${ULID}`],
    ['an id in the address of a page', `https://shop.example/pay/wd_${ULID}?a=1`, `id wd_${ULID}`],
    ['an id after a sign', `event=evt_${ULID},`, `id evt_${ULID}`],
    ['the id of a request', `Request-Id: req_${ULID}`, `id req_${ULID}`],
    ['a hash in a sentence', `I paid with ${HASH}, please check.`, `transaction_hash ${HASH.toLowerCase()}`],
    ['a hash in capitals', HASH.toUpperCase(), `transaction_hash ${HASH.toLowerCase()}`],
    ['a hash of an explorer', `https://etherscan.io/tx/${HASH}`, `transaction_hash ${HASH.toLowerCase()}`],
    ['a hash without its 0x', HASH.slice(2), `transaction_hash ${HASH.toLowerCase()}`],
    ['a hash of tron, which has no 0x', HASH.slice(2).toUpperCase(), `transaction_hash ${HASH.slice(2).toLowerCase()}`],
    ['a hash of solana', `tx ${SOLANA_HASH}.`, `transaction_hash ${SOLANA_HASH}`],
    ['an address in lower case', ADDRESS.toLowerCase(), `address ${ADDRESS.toLowerCase()}`],
    ['an address in capitals', `0X${ADDRESS.slice(2).toUpperCase()}`, `address ${ADDRESS.toLowerCase()}`],
    ['the address in a payment link', `ethereum:${ADDRESS}@137/transfer`, `address ${ADDRESS.toLowerCase()}`],
    ['an address of tron', `to ${TRON_ADDRESS}!`, `address ${TRON_ADDRESS}`],
    ['an address of solana', `solana:${SOLANA_ADDRESS}?amount=1`, `address ${SOLANA_ADDRESS}`],
    ['a reference alone', '  Order 7 of Ann ', 'text Order 7 of Ann'],
    ['a reference in quotes', 'My order "Ann\'s first" is missing.', "text Ann's first"],
    ['a reference in a sentence', 'Hello, order-1042 is not paid?', 'text order-1042'],
    ['a number with its sign', 'Ticket for #1042.', 'text 1042'],
    ['a value after its name', 'reference:INV-7', 'text INV-7'],
    ['an idempotency key', 'key 7f0f6b1e-64a0-4b6f-9f43-0a4d7c1d2e3f', 'text 7f0f6b1e-64a0-4b6f-9f43-0a4d7c1d2e3f'],
  ])('include %s', (_what, text, key) => {
    expect(keysIn(text)).toContain(key);
  });

  it.each<[what: string, text: string]>([
    ['an id that is too long', `pi_${ULID}0`],
    ['an id with a letter that no id has', `pi_${ULID.slice(0, 25)}u`],
    ['an id inside of a longer word', `xpi_${ULID}`],
    ['a hash that is too short', HASH.slice(0, 65)],
    ['a hash that is too long', `${HASH}0`],
    ['an address of tron with a wrong letter', TRON_ADDRESS.replace('7', '8')],
    ['an address of tron in lower case, which is another one', TRON_ADDRESS.toLowerCase()],
  ])('do not include %s', (_what, text) => {
    expect(searchCandidatesIn(text).filter(({ kind }) => kind !== 'text')).toEqual([]);
  });

  it('put ids, hashes and addresses before texts, and words before numbers and dates', () => {
    const text = `On 2026-11-26 I paid 25.00 for A-7 (1042)\nwith ${HASH} to ${ADDRESS}: pi_${ULID}`;
    expect(searchCandidatesIn(text).map(({ kind }) => kind)).toEqual([
      'id',
      'transaction_hash',
      'address',
      'text',
      'text',
      'text',
      'text',
    ]);
    expect(keysIn(text).slice(-4)).toEqual(['text A-7', 'text 1042', 'text 2026-11-26', 'text 25.00']);
  });

  it('are searched for once, however often and in whatever letters a text repeats them', () => {
    expect(keysIn(`${HASH} ${HASH.toLowerCase()} ${HASH.toUpperCase()}`).filter((key) => key.includes('0x'))).toEqual([
      `transaction_hash ${HASH.toLowerCase()}`,
    ]);
  });

  it('keep the letter case of a reference, which merchants choose', () => {
    expect(keysIn('Order-A1')).toEqual(['text Order-A1']);
  });

  const word = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(HASH, ADDRESS, `pi_${ULID}`, '#1'),
  );
  const text = fc.array(word, { maxLength: 80 }).map((words) => words.join(' '));

  it('are at most so many, of a bounded size, and none is invented', () => {
    fc.assert(
      fc.property(text, (given) => {
        const found = searchCandidatesIn(given);
        expect(found.length).toBeLessThanOrEqual(24);
        for (const { written, key } of found) {
          expect(given).toContain(written);
          expect(key.length).toBeLessThanOrEqual(257);
        }
      }),
    );
  });

  it('are found wherever they stand, in any letter case that their family allows', () => {
    const around = fc.constantFrom('', ' ', '.', '(', ')', '"', '\n', '/', '=', ':', ',', '>');
    const spelling = fc.constantFrom(
      ...[HASH, ADDRESS, `pi_${ULID}`].flatMap((one) => [one, one.toLowerCase(), one.toUpperCase()]),
    );
    fc.assert(
      fc.property(around, spelling, around, fc.lorem(), (before, id, after, more) => {
        const keys = searchCandidatesIn(`${more} ${before}${id}${after} ${more}`).map(({ key }) => key);
        expect(keys).toContain(id.toLowerCase());
      }),
    );
  });
});
