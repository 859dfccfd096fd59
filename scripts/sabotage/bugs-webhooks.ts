import type { Bug } from './bug.ts';

/** Bugs on the way of an event to the merchant: its number, its signature, its deliveries. */
export const WEBHOOK_BUGS: readonly Bug[] = [
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
        file: 'src/webhooks/deliveries/endpoint-limits.ts',
        search: 'inFlightPerEndpoint === 0 ? SLOTS : inFlightPerEndpoint',
        replace: 'inFlightPerEndpoint === 0 ? 1 : SLOTS',
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
