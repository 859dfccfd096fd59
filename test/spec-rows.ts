/**
 * The requirements of the interface specification (docs/specification.md), sections 2 to 8, in our own words. Tests refer
 * to them.
 *
 * A test names the rows it proves at the end of its title: `[spec 4.5 limit]`, or several of one section:
 * `[spec 2.1 id, merchant_id, currency]`. A tag of a section alone, `[spec 4.5]`, says what a test is about and covers
 * no row. `npm run spec:uncovered` prints the rows without a test. A row counts as covered when an end-to-end spec
 * (`*.e2e-spec.ts`, which talks HTTP to a running service) names it; rows that cannot be seen from outside are marked
 * `inside`, and any spec may cover them.
 */
export interface SpecRow {
  readonly section: string;
  readonly name: string;
  /** The requirement. */
  readonly demand: string;
  /** Cannot be seen over HTTP. */
  readonly inside: boolean;
}

type Demands = Readonly<Record<string, string>>;

function rows(section: string, demands: Demands, { inside = false }: { inside?: boolean } = {}): SpecRow[] {
  return Object.entries(demands).map(([name, demand]) => ({ section, name, demand, inside }));
}

export const SPEC_ROWS: readonly SpecRow[] = [
  ...rows('2.1', {
    id: 'Opaque identifier of the intent.',
    merchant_id: 'The owning merchant.',
    amount_cents: 'Integer amount to collect, in minor fiat units.',
    received_amount_cents: 'Fiat value received so far; starts at 0.',
    remaining_amount_cents: 'Fiat amount outstanding; the whole amount at creation.',
    currency: 'Fiat currency code.',
    settlement_currency: 'Settlement currency code, in create and list responses.',
    network: 'Name of the chain.',
    token: 'Token on the network.',
    crypto_amount: 'Expected amount in the smallest unit, as a decimal string.',
    crypto_amount_decimal: 'The same amount for people.',
    token_price_cents: 'Price of the token when the address was generated.',
    status: 'One of the states of section 3.',
    reference: 'What the merchant supplied at creation.',
    metadata: 'Free object; holds blockchain_address after address generation.',
    created_at: 'ISO 8601 in UTC.',
    updated_at: 'ISO 8601 in UTC.',
    expires_at: 'Deadline; without the full amount by then the intent becomes expired.',
    completed_at: 'ISO 8601; on completed intents in lists.',
    'rule 1': 'Crypto amounts are computed with the address and then locked; prices no longer matter.',
    'rule 2': 'Crypto fields are populated by generate-address only.',
  }),
  ...rows('2.2', {
    id: 'Identifier of the withdrawal.',
    object: 'Constant: withdrawal.',
    status: 'queued, broadcasting or completed.',
    pocket_id: 'The source pocket.',
    amount_cents: 'Amount in minor units of the coin.',
    destination: 'Address on the chain.',
    network_fee_cents: 'Network fee in minor units.',
    tx_hash: 'Null until broadcast, set afterwards.',
    reference: "The merchant's, echoed in the webhook.",
    created_at: 'ISO 8601 in UTC.',
  }),
  ...rows('2.3', {
    object: 'Constant: list.',
    has_more: 'True when more results follow.',
    next_cursor: 'Intent id to pass as starting_after.',
    data: 'Items, newest first, with at least the seven fields of the example.',
  }),
  ...rows('2.4', {
    id: 'Identifier of the event, prefix evt_.',
    event_type: 'Kind of event.',
    created_at: 'ISO 8601 in UTC.',
    data: 'The resource at the time of the event.',
  }),
  ...rows('3.1', {
    creation: 'A valid request creates an intent in requires_action, as the response shows.',
    'generate-address': 'Leaves requires_action alone; a repeated call has no side effect.',
    confirm: 'requires_action becomes processing.',
    'requires_action cancelled': 'Cancelled by the system.',
    'requires_action expired': 'expires_at passed without full payment.',
    'processing completed': 'The payment settles; payment_intent.completed is sent.',
    'processing failed': 'Insufficient funds received before expiry.',
    'processing expired': 'expires_at passed.',
    terminal: 'Nothing follows completed, failed, cancelled and expired.',
    'rule 1': 'Expiration is enforced in every open state alike.',
    'rule 2': 'The API cannot cancel; uncollected intents expire by themselves.',
    'rule 3': 'Each status means what it says: waiting, detected, settled, failed, cancelled, expired.',
    'rule 4': 'Every spelling of a status that 4.5 lists is accepted.',
  }),
  ...rows(
    '3.1',
    {
      'created requires_action': 'By the system.',
      'created cancelled': 'By the system.',
      'created expired': 'expires_at passed.',
    },
    { inside: true },
  ),
  ...rows('3.2', {
    creation: 'A valid request is answered with 202, broadcasting and tx_hash null.',
    'queued broadcasting': 'The first step, by the system.',
    'broadcasting completed': 'The network confirms; withdrawal.completed carries tx_hash.',
    tx_hash: 'Appears with the broadcast.',
  }),
  ...rows('4', {
    Authorization: 'Every request carries a bearer key.',
    'Idempotency-Key': 'Every POST carries one.',
    'Content-Type': 'JSON where there is a body.',
  }),
  ...rows('4.1', {
    amount_cents: 'Fiat amount, minor units.',
    currency: 'Fiat currency code.',
    settlement_currency: 'Settlement currency code.',
    network: 'Chain.',
    token: 'Token.',
    reference: "The merchant's reference.",
    response: 'The intent: requires_action, nothing received, all outstanding, empty metadata.',
  }),
  ...rows('4.2', {
    id: 'The intent in the path.',
    'no body': 'The request has none.',
    response: '200 with the whole intent: crypto amounts, price and blockchain_address.',
    'rule 1': 'With an address: the same address and amount, no side effect.',
    'rule 2': 'The amount is in the smallest unit by the decimals of the token.',
  }),
  ...rows('4.3', {
    status: 'The intent becomes processing.',
    'no body': 'The request has none.',
    optional: 'A payment completes without it.',
  }),
  ...rows('4.4', { response: 'The payment intent, for polling.' }),
  ...rows('4.5', {
    limit: '1 to 100, 25 when absent.',
    starting_after: 'An intent id; results after it.',
    status: 'The five filter names.',
    network: 'The five networks.',
    created_gte: 'Inclusive lower bound.',
    created_lt: 'Strict upper bound.',
    order: 'Newest first.',
    response: '200 with the list envelope; next_cursor leads to the next page.',
  }),
  ...rows('4.6', {
    pocket_id: 'Required; the source pocket.',
    amount_cents: 'Required; minor units of the coin.',
    destination: 'Required; valid on the network of the pocket.',
    fee_strategy: 'standard or fast.',
    reference: 'Echoed in the webhook.',
    response: '202 with the withdrawal, broadcasting.',
  }),
  ...rows('5', {
    'rule 1': 'Authorization with the scheme Bearer and a key.',
    'rule 2': 'Sandbox keys begin with sk_sb_, live keys with pk_live_.',
    'rule 3': 'A missing or invalid key: 401 unauthorized.',
    'rule 4': 'Webhooks are signed with a secret per endpoint in X-Webhook-Signature.',
  }),
  ...rows('6.1', {
    'payment_intent.completed': 'Sent on completion; received equals the amount, remaining is 0.',
    'withdrawal.completed': 'Carries tx_hash and the reference.',
  }),
  ...rows('6.2', {
    'rule 1': 'POST of the envelope to the endpoint.',
    'rule 2': 'Any 2xx acknowledges.',
    'rule 3': 'Anything else is retried up to 5 times, 30 s times 2 to the power of the attempt, at most 1 hour.',
    'rule 4': 'Then it is dead-lettered; failed and dead-lettered deliveries stay visible.',
    'rule 5': 'Each retry is signed again with an updated t.',
  }),
  ...rows('6.3', {
    header: 'X-Webhook-Signature: t=<unix seconds>,v1=<hex digest>.',
    t: 'Unix time of the signing, in seconds.',
    v1: 'Hex HMAC-SHA256 of the signing payload.',
    'rule 1': 'The header splits on commas and at the first equals sign.',
    'rule 2': 'The payload is t, a dot and the raw body.',
    'rule 3': 'The digest is keyed with the secret of the endpoint.',
    'rule 4': 'A digest that differs is rejected.',
    'rule 5': 'A t more than 300 s away is rejected.',
    'rule 6': 'A 2xx answer acknowledges.',
  }),
  ...rows('7', {
    missing_idempotency_key: '400 on generate-address without the header.',
    unauthorized: '401 on generate-address without a valid key.',
    not_found: '404 on generate-address for an intent that does not exist.',
    invalid_state_transition: '409 on generate-address for an intent that is over.',
    price_unavailable: '503 on generate-address without a price.',
    no_wallets_available: '503 on generate-address with an empty pool.',
    insufficient_balance: '400 when the pocket holds less than amount and fee.',
    address_network_mismatch: '400 for a destination of another network.',
    address_blocked: '400 for a sanctioned destination.',
    pocket_locked: '409 while another withdrawal is in flight.',
  }),
  ...rows('8', {
    'page size': '1 to 100, 25 when absent.',
    'timestamp tolerance': 'Five minutes.',
    'webhook retries': 'Five, 30 s times 2 to the power of the attempt, at most an hour.',
    'intent lifetime': 'Until expires_at.',
    'concurrent withdrawals': 'One in flight per pocket.',
  }),
];
