import { fiatText, formatUnits } from '../../domain/money.js';
import type { Environment } from '../../domain/network.js';
import type { SearchHit, SearchResult } from '../../search/search-hit.js';
import type { SearchHitObject, SearchResultObject } from './search.schema.js';

/** Presents what a text names. */
export function presentSearch(
  { hits, elsewhere, unknown }: SearchResult,
  environment: Environment,
): SearchResultObject {
  return {
    object: 'search_result',
    hits: hits.map(presentHit),
    elsewhere: elsewhere.map(presentHit),
    unknown: [...unknown],
    sentence: sentenceOf({ hits, elsewhere, unknown }, environment),
  };
}

function presentHit(hit: SearchHit): SearchHitObject {
  const { kind, id, environment, merchantId, merchantName, state, network, token, matches, createdAt } = hit;
  return {
    object: 'search_hit',
    kind,
    id,
    environment,
    merchant_id: merchantId,
    merchant_name: merchantName,
    state,
    amount: amountOf(hit),
    network,
    token,
    matches: matches.map(({ by, written }) => ({ by, text: written })),
    opens: opensOf(hit),
    note: noteOn(hit),
    created_at: createdAt.toISOString(),
  };
}

function amountOf({ kind, amount, decimals, token }: SearchHit): string | null {
  if (amount === null || decimals === null) return null;
  const digits = formatUnits(BigInt(amount), decimals);
  return kind === 'payment_intent' ? fiatText(BigInt(amount), 'USD') : `${digits} ${token ?? ''}`;
}

function opensOf({ kind, id, relatedId, deliveryIds }: SearchHit): SearchHitObject['opens'] {
  switch (kind) {
    case 'payment_intent':
      return { page: 'intent', id };
    case 'withdrawal':
      return { page: 'withdrawal', id };
    case 'delivery':
      return { page: 'delivery', id };
    case 'webhook_endpoint':
      return { page: 'endpoint', id };
    case 'pocket':
      return { page: 'pocket', id };
    case 'merchant':
      return { page: 'merchant', id };
    case 'api_request':
      return { page: 'requests', id };
    case 'deposit':
      return relatedId === null ? { page: 'deposit', id } : { page: 'intent', id: relatedId };
    default:
      return eventOpens(id, relatedId ?? '', deliveryIds);
  }
}

/** The deliveries of an event say what became of it; an event that no endpoint was owed is explained with its resource. */
function eventOpens(id: string, resourceId: string, [first, ...others]: readonly string[]): SearchHitObject['opens'] {
  if (first !== undefined) return others.length === 0 ? { page: 'delivery', id: first } : { page: 'deliveries', id };
  if (resourceId.startsWith('pi_')) return { page: 'intent', id: resourceId };
  if (resourceId.startsWith('wd_')) return { page: 'withdrawal', id: resourceId };
  return resourceId.startsWith('we_') ? { page: 'endpoint', id: resourceId } : { page: 'none', id };
}

function noteOn({ kind, relatedId, deliveryIds }: SearchHit): string | null {
  if (kind === 'deposit' && relatedId === null)
    return 'It reached an address of ours that belongs to no payment intent.';
  return kind === 'event' && deliveryIds.length === 0 ? 'No endpoint was owed this event.' : null;
}

function sentenceOf({ hits, elsewhere, unknown }: SearchResult, environment: Environment): string {
  const sentences: string[] = [];
  const other = environment === 'sandbox' ? 'live' : 'sandbox';
  const reference = sharedReference(hits);
  if (reference !== null) sentences.push(`Several objects have the reference "${reference}".`);
  else if (hits.length > 1) sentences.push(`The text names ${hits.length} objects.`);
  if (elsewhere.length > 0) {
    const what =
      elsewhere.length === 1
        ? 'One object that the text names is'
        : `${elsewhere.length} objects that the text names are`;
    sentences.push(`${what} in ${other}, not in ${environment}.`);
  }
  if (unknown.length > 0) sentences.push(`Nothing here is known as ${unknown.map(shortened).join(', ')}.`);
  if (sentences.length > 0) return sentences.join(' ');
  return hits.length === 1 ? 'One object was found.' : `Nothing in ${environment} is named by this text.`;
}

/** A reference that two objects have: merchants choose them, and may use one twice. */
function sharedReference(hits: readonly SearchHit[]): string | null {
  const references = hits.flatMap(({ matches }) =>
    matches.filter(({ by }) => by === 'reference').map(({ written }) => written),
  );
  return references.find((one, place) => references.indexOf(one) !== place) ?? null;
}

const SHOWN_MAX = 44;
const shortened = (text: string): string =>
  text.length > SHOWN_MAX ? `${text.slice(0, 20)}...${text.slice(-8)}` : text;
