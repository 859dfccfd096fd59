import type { Bug } from './bug.ts';

/** Bugs at the edges: keys and tenants, idempotency, the rate limit, events and webhooks. */
export const SERVICE_BUGS: readonly Bug[] = [
  {
    name: 'idem-record-outside-tx',
    harm: 'The stored answer does not commit with the effect: a retry pays twice or finds an answer without effect.',
    edits: [
      {
        file: 'src/idempotency/idempotency-records.service.ts',
        search: 'await rows(tx, insertAnswer(',
        replace: 'await rows((void tx, this.db.em()), insertAnswer(',
      },
    ],
    specs: ['src/idempotency/idempotent-writes.spec.ts'],
  },
  {
    name: 'idem-no-merchant',
    harm: 'A key of one merchant finds the answer of another.',
    edits: [
      {
        file: 'src/idempotency/kept-answers.sql.ts',
        search: 'KEY_PROPERTIES.map((property) => sql`${record[property]} = ${key[property]}`),',
        replace:
          "KEY_PROPERTIES.filter((property) => property !== 'merchantId').map((property) => sql`${record[property]} = ${key[property]}`),",
      },
    ],
    specs: ['src/idempotency/idempotent-writes.spec.ts'],
  },
  {
    name: 'idem-at-once-unclaimed',
    harm: 'A write of one statement runs again although its answer is kept: two effects for one key.',
    edits: [
      {
        file: 'src/idempotency/kept-answers.sql.ts',
        search: 'parts(isGranted)',
        replace: 'parts(sql`(true or ${isGranted})`)',
      },
    ],
    specs: ['src/idempotency/write-at-once.spec.ts'],
  },
  {
    name: 'idem-prunes-withdrawals',
    harm: 'Answers of withdrawals are pruned: a late repeat pays twice.',
    edits: [
      {
        file: 'src/idempotency/kept-answers.sql.ts',
        search: 'not ${isKeptWithoutLimit}',
        replace: 'not (false and ${isKeptWithoutLimit})',
      },
    ],
    specs: ['src/idempotency/idempotency-records.spec.ts'],
  },
  {
    name: 'idem-body-ignored',
    harm: 'A key that is used again with another body gets the first answer.',
    edits: [
      {
        file: 'src/idempotency/idempotent-writes.ts',
        search: 'if (kept.fingerprint !== write.fingerprint) {',
        replace: `if (kept.fingerprint !== write.fingerprint && kept.fingerprint === '') {`,
      },
    ],
    specs: ['src/idempotency/idempotent-writes.spec.ts'],
  },
  {
    name: 'scope-unasked',
    harm: 'A key that may only read orders withdrawals.',
    edits: [
      {
        file: 'src/auth/api-key.guard.ts',
        search: 'if (!caller.scopes.includes(access))',
        replace: 'if (caller.scopes.length === 0)',
      },
    ],
    specs: ['src/auth/api-key.guard.spec.ts'],
  },
  {
    name: 'scope-by-default',
    harm: 'Every new live key may withdraw real money.',
    edits: [
      {
        file: 'src/auth/scopes.ts',
        search: `live: ['read', 'payments:write', 'webhooks:write'],`,
        replace: 'live: SCOPES,',
      },
    ],
    specs: ['src/auth/api-keys.service.spec.ts'],
  },
  {
    name: 'revoked-key-lives',
    harm: 'A revoked key still lets its holder in.',
    edits: [
      {
        file: 'src/auth/api-keys.sql.ts',
        search: '= ${hash} and ${key.revokedAt} is null',
        replace: '= ${hash}',
      },
    ],
    specs: ['src/auth/api-key.guard.spec.ts', 'src/auth/api-keys.service.spec.ts'],
  },
  {
    name: 'intent-of-others',
    harm: 'A merchant confirms, and generates addresses for, intents of another merchant.',
    edits: [
      {
        file: 'src/payments/intents/payment-intents.sql.ts',
        search: '${intent.id} = ${id} and ${intent.merchantId} = ${merchantId} and',
        replace: '${intent.id} = ${id} and ${merchantId}::text is not null and',
      },
    ],
    specs: ['src/payments/intents/payment-intents.service.spec.ts'],
  },
  {
    name: 'live-key-reads-sandbox',
    harm: 'A key of the sandbox reads live intents.',
    edits: [
      {
        file: 'src/payments/intents/payment-intents.sql.ts',
        search: '${intent.environment} = ${environment}`;',
        replace: '${environment}::text is not null`;',
      },
    ],
    specs: ['src/payments/intents/intent-reader.service.spec.ts'],
  },
  {
    name: 'pocket-of-others',
    harm: 'A merchant withdraws from the pocket of another merchant.',
    edits: [
      {
        file: 'src/withdrawals/withdrawals.sql.ts',
        search: '${pocket.id} = ${id} and ${pocket.merchantId} = ${merchantId}',
        replace: '${pocket.id} = ${id} and ${merchantId}::text is not null',
      },
    ],
    specs: ['src/withdrawals/withdrawals.service.spec.ts'],
  },
  {
    name: 'rate-bucket-uncapped',
    harm: 'An idle key saves up requests without limit.',
    edits: [
      {
        file: 'src/auth/rate-buckets.sql.ts',
        search: 'least(${burst}::float8,',
        replace: 'greatest(0 * ${burst}::float8,',
      },
    ],
    specs: ['src/auth/rate-limiter.spec.ts'],
  },
  {
    name: 'relay-try-lock',
    harm: 'Two relays number events at once: numbers are repeated or out of order.',
    edits: [
      {
        file: 'src/events/relay.sql.ts',
        search: 'select pg_advisory_xact_lock(',
        replace: 'select pg_try_advisory_xact_lock(',
      },
    ],
    specs: ['src/events/relay.service.spec.ts'],
  },
  {
    name: 'event-order-by-time',
    harm: 'Events of one transaction are numbered in any order.',
    edits: [
      {
        file: 'src/events/relay.sql.ts',
        search: 'where before_it < ${characters} order by ${waiting.position}',
        replace: 'where before_it < ${characters} order by ${waiting.createdAt}, md5(${waiting.id})',
      },
    ],
    specs: ['src/events/relay.service.spec.ts'],
  },
  {
    name: 'wake-forgotten',
    harm: 'The relay is not woken: events wait for its recurring job.',
    edits: [
      {
        file: 'src/events/events.service.ts',
        search: `afterCommit(tx, () => this.queue.wake('events.relay', {}));`,
        replace: `void (() => afterCommit(tx, () => this.queue.wake('events.relay', {})));`,
      },
    ],
    specs: ['src/events/relay.service.spec.ts'],
  },
  {
    name: 'fanout-to-all',
    harm: 'Webhooks of one merchant are sent to the endpoints of another.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-fanout.sql.ts',
        search: 'on ${endpoint.merchantId} = ${event.merchantId} and',
        replace: 'on',
      },
    ],
    specs: ['src/webhooks/deliveries/delivery-fanout.service.spec.ts'],
  },
  {
    name: 'signature-without-time',
    harm: 'The signature does not cover its time: a delivery can be replayed at any later time.',
    edits: [
      {
        file: 'src/domain/webhook-signature.ts',
        search: 'update(`${timestamp}.`)',
        replace: 'update(timestamp.slice(0, 0))',
      },
    ],
    specs: ['src/domain/webhook-signature.spec.ts'],
  },
  {
    name: 'signature-of-one-secret',
    harm: 'During a rotation only one secret signs: receivers that have the other refuse what we send.',
    edits: [
      {
        file: 'src/domain/webhook-signature.ts',
        search: '...secrets.map((secret)',
        replace: '...secrets.slice(0, 1).map((secret)',
      },
    ],
    specs: ['src/domain/webhook-signature.spec.ts'],
  },
  {
    name: 'retry-old-timestamp',
    harm: 'A retry is signed with the time of the first attempt: receivers refuse it as too old.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-sender.service.ts',
        search: 'signedAt: Math.floor(startedAt.getTime() / 1000)',
        replace: 'signedAt: firstTimeOf(delivery.eventId, Math.floor(startedAt.getTime() / 1000))',
      },
      {
        file: 'src/webhooks/deliveries/delivery-sender.service.ts',
        search: '/** Makes one attempt:',
        replace: `const FIRST = new Map<string, number>();

function firstTimeOf(id: string, now: number): number {
  FIRST.set(id, FIRST.get(id) ?? now);
  return FIRST.get(id) ?? now;
}

/** Makes one attempt:`,
      },
    ],
    specs: ['src/webhooks/deliveries/delivery-sender.service.spec.ts'],
  },
  {
    name: 'redirect-followed',
    harm: 'A receiver redirects deliveries to wherever it likes.',
    edits: [
      {
        file: 'src/platform/outbound/outbound-client.ts',
        search: `method: 'POST',\n    dispatcher,`,
        replace: `method: 'POST',\n    dispatcher: dispatcher.compose(interceptors.redirect({ maxRedirections: 3 })),`,
      },
      {
        file: 'src/platform/outbound/outbound-client.ts',
        search: `import { Agent,`,
        replace: `import { interceptors, Agent,`,
      },
    ],
    specs: ['src/platform/outbound/outbound-guard.spec.ts'],
  },
  {
    name: 'slow-endpoint',
    harm: 'One slow endpoint takes all slots of a process.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-claims.sql.ts',
        search: 'IN_FLIGHT_MAX = 4',
        replace: 'IN_FLIGHT_MAX = 512',
      },
    ],
    specs: ['src/webhooks/deliveries/delivery-claims.service.spec.ts'],
  },
  {
    name: 'failing-take-all',
    harm: 'Failing endpoints take all slots.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-claims.sql.ts',
        search: '<= ${failing}::int',
        replace: '<= ${failing}::int + ${total}::int',
      },
    ],
    specs: ['src/webhooks/deliveries/delivery-claims.service.spec.ts'],
  },
  {
    name: 'lease-too-short',
    harm: 'The lease of a delivery ends before the time of the receiver is up: it is sent twice at once.',
    edits: [
      {
        file: 'src/webhooks/deliveries/delivery-claims.service.ts',
        search: 'config.webhooks.timeoutMs + LEASE_MARGIN_MS',
        replace: 'Math.min(config.webhooks.timeoutMs / 2, LEASE_MARGIN_MS)',
      },
    ],
    specs: ['src/webhooks/deliveries/delivery-claims.service.spec.ts'],
  },
  {
    name: 'dead-letter-lost',
    harm: 'A delivery whose retries are spent ends as cancelled: it is on no list of dead letters.',
    edits: [
      {
        file: 'src/webhooks/deliveries/attempt-recorder.service.ts',
        search: `=== 'retrying' ? 'pending' : recorded.result`,
        replace: `=== 'retrying' ? 'pending' : recorded.result === 'dead_letter' ? 'cancelled' : recorded.result`,
      },
    ],
    specs: ['src/webhooks/deliveries/deliverer.service.spec.ts'],
  },
  {
    name: 'lost-lease-records',
    harm: 'An attempt is recorded although another process has taken the delivery over.',
    edits: [
      {
        file: 'src/webhooks/deliveries/attempt-recorder.sql.ts',
        search: 'and ${delivery.leaseHolder} = ${made.leaseToken}',
        replace: '',
      },
    ],
    specs: ['src/webhooks/deliveries/deliverer.service.spec.ts'],
  },
  {
    name: 'outage-as-delivered',
    harm: 'A redirect counts as delivered: the merchant never receives the event.',
    edits: [
      { file: 'src/webhooks/deliveries/attempt.ts', search: 'answer.status <= 299', replace: 'answer.status <= 399' },
    ],
    specs: ['src/webhooks/deliveries/delivery-sender.service.spec.ts'],
  },
];
