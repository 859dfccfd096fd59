import { type AddressForm, addressFormOf } from './address-form.js';
import { decodeBase58 } from './base58.js';
import { idKey } from './ids.js';
import { type TransactionHashForm, transactionHashFormOf } from './transaction-hash.js';

/** The prefixes of the ids that can be searched for. */
export const SEARCHED_PREFIXES = ['pi_', 'wd_', 'evt_', 'dlv_', 'we_', 'pkt_', 'mer_', 'dep_', 'req_'] as const;
export type SearchedPrefix = (typeof SEARCHED_PREFIXES)[number];

/** An identifier that a text may contain. `written` is its spelling there, `key` the one in which it is stored. */
export type SearchCandidate = { readonly written: string; readonly key: string } & (
  | { readonly kind: 'id'; readonly prefix: SearchedPrefix }
  | { readonly kind: 'address'; readonly family: Exclude<AddressForm['family'], 'other'> }
  | { readonly kind: 'transaction_hash'; readonly family: TransactionHashForm['family'] }
  /** A merchant's own reference, or an idempotency key: any text, so that its letter case counts. */
  | { readonly kind: 'text' }
);

/** The most that are searched for: a pasted mail may hold any number of words. */
const CANDIDATES_MAX = 24;
const TEXTS_MAX = 12;
const TEXT_LENGTH = { min: 2, max: 255 } as const;

/** Prefix and ULID: Crockford's alphabet has no i, l, o and u. */
const ID = /(?<![a-z0-9_])(pi|wd|evt|dlv|we|pkt|mer|dep|req)_([0-9a-hjkmnp-tv-z]{26})(?![a-z0-9])/gi;
const HEX = /(?<![a-z0-9])(?:0x)?[0-9a-f]{40,64}(?![a-z0-9])/gi;
/** From the shortest address to the longest signature of a family in base58. */
const BASE58 = /(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{32,88}(?![A-Za-z0-9])/g;
const QUOTED =
  /"([^"\n]{1,255})"|'([^'\n]{1,255})'|“([^”\n]{1,255})”|„([^“”\n]{1,255})[“”]|«([^»\n]{1,255})»|`([^`\n]{1,255})`/g;
const EDGES = /^[\s.,;:!?()[\]{}<>"'“”„«»`*_]+|[\s.,;:!?()[\]{}<>"'“”„«»`*_]+$/g;

/**
 * Finds the identifiers in a text, such as a pasted mail: ids, hashes and addresses in any letter case that their family
 * allows, then what may be a reference or an idempotency key. The most telling come first, each once.
 */
export function searchCandidatesIn(text: string): readonly SearchCandidate[] {
  const formed = [...idsIn(text), ...chainFormsIn(text)];
  const known = new Set(formed.map(({ written }) => written));
  const texts = textsIn(text).filter((one) => !known.has(one) && !isWithin(one, known));
  const all = [
    ...formed,
    ...texts.slice(0, TEXTS_MAX).map((one) => ({ kind: 'text', written: one, key: one }) as const),
  ];
  const unique = new Map(
    all.map((candidate) => [`${candidate.kind} ${familyOf(candidate)} ${candidate.key}`, candidate]),
  );
  return [...unique.values()].slice(0, CANDIDATES_MAX);
}

const familyOf = (candidate: SearchCandidate): string => ('family' in candidate ? candidate.family : '');

function idsIn(text: string): SearchCandidate[] {
  return [...text.matchAll(ID)].flatMap(([written, letters = '']) => {
    const prefix = SEARCHED_PREFIXES.find((one) => one === `${idKey(letters)}_`);
    return prefix === undefined ? [] : [{ kind: 'id', prefix, written, key: idKey(written) }];
  });
}

/** Addresses and hashes. Hexadecimal ones are often copied without their `0x`. */
function chainFormsIn(text: string): SearchCandidate[] {
  const hex = [...text.matchAll(HEX)].flatMap(([written]) => {
    const prefixed = /^0x/i.test(written) ? written : `0x${written}`;
    return [...hashOf(written, written), ...hashOf(written, prefixed), ...addressOf(written, prefixed)];
  });
  const base58 = [...text.matchAll(BASE58)]
    .filter(([written]) => !/^[0-9a-f]+$/i.test(written) && decodeBase58(written) !== null)
    .flatMap(([written]) => [...hashOf(written, written), ...addressOf(written, written)]);
  return [...hex, ...base58];
}

function hashOf(written: string, spelling: string): SearchCandidate[] {
  const form = transactionHashFormOf(spelling);
  return form === null ? [] : [{ kind: 'transaction_hash', ...form, written }];
}

function addressOf(written: string, spelling: string): SearchCandidate[] {
  const { family, key } = addressFormOf(spelling);
  return family === 'other' ? [] : [{ kind: 'address', family, key, written }];
}

/** The texts that may be a reference or a key: the whole, what is quoted, and each word with a digit in it. */
function textsIn(text: string): string[] {
  const whole = text.trim();
  const quoted = [...text.matchAll(QUOTED)].map((groups) => groups.slice(1).find((one) => one !== undefined) ?? '');
  const words = text.split(/\s+/).flatMap((word) => spellingsOf(word.replace(EDGES, '')));
  const telling = words.filter((word) => /\d/.test(word)).toSorted((one, other) => rankOf(one) - rankOf(other));
  const found = [...(whole.includes('\n') ? [] : [whole]), ...quoted, ...telling];
  return [...new Set(found)].filter(({ length }) => length >= TEXT_LENGTH.min && length <= TEXT_LENGTH.max);
}

/** `#1042` is a reference with or without its sign, and `order=1042` is one after its sign. */
function spellingsOf(word: string): string[] {
  const value = /^[\w-]+[=:](?!\/\/)(.+)$/.exec(word)?.[1];
  return [word, ...(word.startsWith('#') ? [word.slice(1)] : []), ...(value === undefined ? [] : [value])];
}

/** Words of letters and digits first, such as `order-1042`; then numbers; dates, amounts and mail addresses last. */
function rankOf(word: string): number {
  if (/^\d{1,4}([.,:/-]\d+)+$/.test(word) || word.includes('@') || word.includes('://')) return 2;
  return /\p{L}/u.test(word) ? 0 : 1;
}

/** Whether a word is an identifier with something around it, such as `hash:0x5f...` or the address of an explorer's page. */
const isWithin = (word: string, known: ReadonlySet<string>): boolean =>
  [...known].some((identifier) => word.includes(identifier));
