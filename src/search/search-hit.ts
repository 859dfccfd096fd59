import type { Environment } from '../domain/network.js';

/** The kinds of objects that are found. */
export type HitKind =
  | 'payment_intent'
  | 'withdrawal'
  | 'event'
  | 'delivery'
  | 'webhook_endpoint'
  | 'pocket'
  | 'merchant'
  | 'deposit'
  | 'api_request';

/** By what an object was found. */
export type MatchKind = 'id' | 'address' | 'transaction_hash' | 'reference' | 'idempotency_key' | 'request_id';

/** By what an object was found, and the spelling in the text that was searched. */
export interface Match {
  readonly by: MatchKind;
  readonly written: string;
}

/** An object that a text names. */
export interface SearchHit {
  readonly kind: HitKind;
  readonly id: string;
  readonly environment: Environment;
  readonly merchantId: string | null;
  readonly merchantName: string | null;
  /** Its status, what a withdrawal waits for staff to do, the type of an event, or how a request was answered. */
  readonly state: string | null;
  /** Where it has them: its network and token, and its amount in smallest units with their number of decimals. */
  readonly network: string | null;
  readonly token: string | null;
  readonly amount: string | null;
  readonly decimals: number | null;
  /** The resource of an event or a request, the event of a delivery, the intent of a deposit. */
  readonly relatedId: string | null;
  /** The current deliveries of an event. */
  readonly deliveryIds: readonly string[];
  readonly createdAt: Date;
  readonly matches: readonly Match[];
}

/** What a text names. */
export interface SearchResult {
  /** In the environment that was searched. */
  readonly hits: readonly SearchHit[];
  /** In the other environment, if the searcher may see it. */
  readonly elsewhere: readonly SearchHit[];
  /** Ids, hashes and addresses that name nothing in either. */
  readonly unknown: readonly string[];
}
