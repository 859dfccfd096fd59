import { Injectable } from '@nestjs/common';
import { timeOfId } from '../domain/ids.js';
import { ADDRESS_FAMILIES, type Environment } from '../domain/network.js';
import { type SearchCandidate, searchCandidatesIn, SEARCHED_PREFIXES } from '../domain/search-candidates.js';
import { Database } from '../platform/database/database.js';
import type { RowOf, Statement } from '../platform/sql/sql.js';
import type { hits } from './hit-columns.sql.js';
import * as byCall from './hits-by-call.sql.js';
import { HITS_BY_ID, merchantsById } from './hits-by-id.sql.js';
import * as onChain from './hits-on-chain.sql.js';
import type { SearchHit, SearchResult } from './search-hit.js';

type HitRow = RowOf<typeof hits>;

/** Where to search: in one environment, and in the others that the searcher may see. */
export interface SearchScope {
  readonly environment: Environment;
  readonly visible: readonly Environment[];
}

/** The clock of the database may differ from that of the process that named a request, and a request takes a while. */
const REQUEST_WINDOW = { beforeMs: 5_000, afterMs: 35_000 } as const;

/** The most objects that a search returns. */
const HITS_MAX = 30;

/**
 * Finds what a text names, such as a pasted mail: by exact identifiers alone, each along an index, so that its cost grows with
 * the number of merchants and not with that of their payments.
 */
@Injectable()
export class Search {
  constructor(private readonly database: Database) {}

  /** Returns the objects that a text names, the best matches first. */
  async find(text: string, { environment, visible }: SearchScope): Promise<SearchResult> {
    const candidates = searchCandidatesIn(text);
    const statements = statementsFor(candidates, environment, visible);
    const rows = (await Promise.all(statements.map((statement) => this.database.rows(statement)))).flat();
    const found = merged(
      rows.filter((row) => visible.includes(row.environment)),
      candidates,
    );
    const named = new Set(found.flatMap(({ matches }) => matches.map(({ written }) => written)));
    return {
      hits: found.filter((hit) => hit.environment === environment).slice(0, HITS_MAX),
      elsewhere: found.filter((hit) => hit.environment !== environment).slice(0, HITS_MAX),
      unknown: [...new Set(candidates.filter(isTelling).map(({ written }) => written))].filter(
        (written) => !named.has(written),
      ),
    };
  }
}

/** Whether a candidate is an identifier by its form: a text may be any word. */
const isTelling = ({ kind }: SearchCandidate): boolean => kind !== 'text';

function statementsFor(
  candidates: readonly SearchCandidate[],
  environment: Environment,
  visible: readonly Environment[],
): Statement<HitRow>[] {
  const texts = candidates.filter(({ kind }) => kind === 'text').map(({ key }) => key);
  return [...byIds(candidates, environment, visible), ...onChains(candidates, visible), ...byTexts(texts, visible)];
}

function byIds(
  candidates: readonly SearchCandidate[],
  environment: Environment,
  visible: readonly Environment[],
): Statement<HitRow>[] {
  return SEARCHED_PREFIXES.flatMap((prefix) => {
    const ids = candidates.flatMap((one) => (one.kind === 'id' && one.prefix === prefix ? [one.key] : []));
    if (ids.length === 0) return [];
    if (prefix === 'mer_') return [merchantsById(ids, environment)];
    if (prefix === 'req_') return [byCall.requestsById(visible, ids), ...ids.flatMap((id) => byRequest(id, visible))];
    return [HITS_BY_ID[prefix](ids)];
  });
}

function byRequest(requestId: string, visible: readonly Environment[]): Statement<HitRow>[] {
  const at = timeOfId(requestId).getTime();
  const window = {
    requestId,
    from: new Date(at - REQUEST_WINDOW.beforeMs),
    until: new Date(at + REQUEST_WINDOW.afterMs),
  };
  return [
    byCall.intentsByRequest(visible, window),
    byCall.withdrawalsByRequest(visible, window),
    byCall.intentsByLaterRequest(window),
  ];
}

function onChains(candidates: readonly SearchCandidate[], visible: readonly Environment[]): Statement<HitRow>[] {
  return ADDRESS_FAMILIES.flatMap((family) => {
    const keysOf = (kind: SearchCandidate['kind']): string[] =>
      candidates.flatMap((one) => (one.kind === kind && 'family' in one && one.family === family ? [one.key] : []));
    const [addresses, hashes] = [keysOf('address'), keysOf('transaction_hash')];
    return [
      ...(addresses.length === 0
        ? []
        : [onChain.intentsByAddress(family, addresses), onChain.withdrawalsByAddress(visible, addresses)]),
      ...(hashes.length === 0
        ? []
        : [
            onChain.intentsByTransaction(family, hashes),
            onChain.depositsByTransaction(family, hashes),
            onChain.withdrawalsByTransaction(hashes),
          ]),
    ];
  });
}

function byTexts(texts: readonly string[], visible: readonly Environment[]): Statement<HitRow>[] {
  if (texts.length === 0) return [];
  return [
    byCall.intentsByReference(visible, texts),
    byCall.withdrawalsByReference(visible, texts),
    byCall.intentsByIdempotencyKey(visible, texts),
    byCall.withdrawalsByIdempotencyKey(visible, texts),
  ];
}

/** Makes one hit of all rows of an object, and puts those first that the text names first. */
function merged(rows: readonly HitRow[], candidates: readonly SearchCandidate[]): SearchHit[] {
  const placeOf = (key: string): number => candidates.findIndex((candidate) => candidate.key === key);
  const sorted = rows.toSorted((one, other) => placeOf(one.key) - placeOf(other.key));
  // A request is shown itself only if nothing is known that it made.
  const making = new Set(rows.filter(({ by }) => by === 'request_id').map(({ key }) => key));
  const shown = sorted.filter(({ kind, key }) => kind !== 'api_request' || !making.has(key));
  return [...Map.groupBy(shown, ({ kind, id }) => `${kind} ${id}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { createdAt, key: _key, by: _by, ...hit } = first;
    const matches = same.map(({ by, key }) => ({ by, written: candidates[placeOf(key)]?.written ?? key }));
    return [{ ...hit, createdAt: new Date(createdAt), matches }];
  });
}
