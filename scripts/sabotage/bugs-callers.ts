import type { Bug } from './bug.ts';

/** Bugs in what a caller may do: idempotency, keys and tenants, the rate limit. */
export const CALLER_BUGS: readonly Bug[] = [
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
        search: 'sql`${key.revokedAt} is null and (${key.expiresAt} is null',
        replace: 'sql`(${key.expiresAt} is null',
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
];
