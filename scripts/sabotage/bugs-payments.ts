import type { Bug } from './bug.ts';

/** Bugs between a quote and the money of a merchant: quotes, the fold of an intent, its deadline, the books. */
export const PAYMENT_BUGS: readonly Bug[] = [
  {
    name: 'late-grace',
    harm: 'A payment seen up to 60 s late counts as in time.',
    edits: [
      {
        file: 'src/domain/intent-state.ts',
        search: 'deposit.seenAt <= expiresAt',
        replace: 'deposit.seenAt.getTime() <= expiresAt.getTime() + 60_000',
      },
    ],
    specs: ['src/domain/intent-state.spec.ts'],
  },
  {
    name: 'overpaid-unfinal',
    harm: 'A completed intent fixes amounts with money that is not final.',
    edits: [
      {
        file: 'src/domain/intent-state.ts',
        search: `decision.status === 'completed' ? sums.final : sums.clean`,
        replace: 'sums.clean',
      },
    ],
    specs: ['src/domain/intent-state.spec.ts'],
  },
  {
    name: 'expiry-unsynced',
    harm: 'An intent expires although the listener had not read the chain past the deadline.',
    edits: [
      {
        file: 'src/payments/intents/chain-progress.ts',
        search: 'if (chain.blockTime > moment) return chain.syncedAt > moment;',
        replace: 'if (chain.blockTime > moment) return true;',
      },
    ],
    specs: ['src/payments/intents/settlement-deadline.spec.ts'],
  },
  {
    name: 'settle-progress-late',
    harm: 'An intent expires beside a payment that commits between two reads.',
    edits: [
      {
        file: 'src/payments/intents/settlement.service.ts',
        search: `    const deposits = await depositsOf(tx, ids);\n`,
        replace: '',
      },
      {
        file: 'src/payments/intents/settlement.service.ts',
        search: '    const chains = await chainProgress(tx, ids);\n',
        replace: `    const deposits = await depositsOf(tx, ids);
    const chains = await chainProgress(tx, ids);\n`,
      },
    ],
    specs: ['src/payments/intents/settlement-order.spec.ts'],
  },
  {
    name: 'settle-unmark-late',
    harm: 'The dirty mark is deleted after the facts are read: a deposit that commits in between is missed.',
    edits: [
      {
        file: 'src/payments/intents/settlement.service.ts',
        search: '    await rows(tx, deleteMarks(ids));\n',
        replace: '',
      },
      {
        file: 'src/payments/intents/settlement.service.ts',
        search: '    return locked.map((found) => ({',
        replace: '    await rows(tx, deleteMarks(ids));\n    return locked.map((found) => ({',
      },
    ],
    specs: ['src/payments/intents/settlement-order.spec.ts'],
  },
  {
    name: 'settle-one-stops-all',
    harm: 'An intent whose settlement the database refuses each time holds up all others of its job.',
    edits: [
      {
        file: 'src/payments/intents/settlement.service.ts',
        search: '      return intentIds;\n',
        replace: '      if (isTransient(error)) throw error;\n      return intentIds;\n',
      },
    ],
    specs: ['src/payments/intents/settlement-races.spec.ts'],
  },
  {
    name: 'settle-waits-for-one',
    harm: 'An intent that another transaction has locked holds up all others of its job.',
    edits: [
      {
        file: 'src/payments/intents/settlement.sql.ts',
        search: 'for no key update of ${intent} skip locked',
        replace: 'for no key update of ${intent}',
      },
    ],
    specs: ['src/payments/intents/settlement-races.spec.ts'],
  },
  {
    name: 'address-after-deadline',
    harm: 'An intent past its deadline gets an address and a quote.',
    edits: [
      {
        file: 'src/payments/intents/address-assignment.service.ts',
        search: 'if (isDue) throw pastDeadline();\n    const { view',
        replace: 'void isDue;\n    const { view',
      },
    ],
    specs: ['src/payments/intents/address-assignment.service.spec.ts'],
  },
  {
    name: 'planned-address-after-deadline',
    harm: 'An intent whose deadline passes while its address is planned gets the address and a quote.',
    edits: [
      {
        file: 'src/payments/intents/address-assignment.sql.ts',
        search: 'and clock_timestamp() < ${intent.expiresAt} and',
        replace: 'and',
      },
    ],
    specs: ['src/payments/intents/address-assignment.service.spec.ts'],
  },
  {
    name: 'planned-address-twice',
    harm: 'Two requests at the same time give an intent two addresses.',
    edits: [
      {
        file: 'src/payments/intents/address-assignment.sql.ts',
        search: 'and ${intent.address} is null\n',
        replace: '\n',
      },
    ],
    specs: ['src/payments/intents/address-assignment.service.spec.ts'],
  },
  {
    name: 'cancel-paid',
    harm: 'Staff cancel an intent whose payment is seen and not final.',
    edits: [
      {
        file: 'src/payments/intents/intent-cancellation.service.ts',
        search: `paymentStateOf(deposit) !== 'orphaned'`,
        replace: `paymentStateOf(deposit) === 'confirmed'`,
      },
    ],
    specs: ['src/payments/intents/intent-cancellation.spec.ts'],
  },
  {
    name: 'ledger-reference-unique',
    harm: 'One fact books twice.',
    edits: [
      {
        file: 'migrations/20261121-04-ledger.ts',
        search: 'reference text not null unique',
        replace: 'reference text not null',
      },
      {
        file: 'src/ledger/bookings.sql.ts',
        search: "on conflict ${columns(entry, 'reference')} do nothing",
        replace: 'on conflict do nothing',
      },
    ],
    specs: ['src/ledger/ledger.service.spec.ts'],
  },
  {
    name: 'unbalanced-posting',
    harm: 'A posting added to an old entry need not balance.',
    edits: [
      {
        file: 'migrations/20261121-04-ledger.ts',
        search: `['entry', 'posting']) {\n      this.addSql(\`\n        create constraint trigger`,
        replace: `['entry']) {\n      this.addSql(\`\n        create constraint trigger`,
      },
    ],
    specs: ['src/ledger/ledger-guards.spec.ts'],
  },
  {
    name: 'posting-order',
    harm: 'Two bookings over the same accounts in opposite order deadlock.',
    edits: [
      {
        file: 'src/ledger/new-entry.ts',
        search: 'return legs.toSorted((a, b) => a.accountId - b.accountId);',
        replace: 'return legs;',
      },
    ],
    specs: ['src/ledger/ledger.service.spec.ts'],
  },
  {
    name: 'pending-of-all-merchants',
    harm: 'pending_cents sums the deposits of all merchants.',
    edits: [
      {
        file: 'src/ledger/pocket-page.sql.ts',
        search: '${deposit.merchantId} = ${pocket.merchantId}',
        replace: '${deposit.merchantId} is not null',
      },
    ],
    specs: ['src/ledger/pocket-reader.service.spec.ts'],
  },
  {
    name: 'pool-touched-address',
    harm: 'An address that received money before it was assigned is still assigned.',
    edits: [
      {
        file: 'src/payments/addresses/pool-addresses.sql.ts',
        search: 'where ${isOf(pool)} and ${isFree}\n',
        replace: 'where ${isOf(pool)} and ${address.intentId} is null\n',
      },
    ],
    specs: ['src/payments/addresses/address-pool.service.spec.ts'],
  },
  {
    name: 'quote-rounds-down',
    harm: 'The quoted crypto amount is worth less than what the merchant asked for.',
    edits: [
      {
        file: 'src/domain/quote.ts',
        search: 'const cryptoAmount = mulDivUp(',
        replace: 'const cryptoAmount = mulDivDown(',
      },
    ],
    specs: ['src/domain/quote.spec.ts'],
  },
  {
    name: 'tolerance-rounds-down',
    harm: 'An intent completes one unit below what the tolerance of the merchant allows.',
    edits: [
      {
        file: 'src/domain/quote.ts',
        search: 'BASIS_POINTS - BigInt(toleranceBps), BASIS_POINTS);',
        replace: 'BASIS_POINTS - BigInt(toleranceBps), BASIS_POINTS) - 1n;',
      },
    ],
    specs: ['src/domain/quote.spec.ts'],
  },
  {
    name: 'stale-price',
    harm: 'Quotes are made with prices that are ten minutes old.',
    edits: [
      {
        file: 'src/pricing/pricing.service.ts',
        search: 'const FRESH_MS = 60_000',
        replace: 'const FRESH_MS = 600_000',
      },
    ],
    specs: ['src/pricing/pricing.spec.ts'],
  },
  {
    name: 'credit-unfinal',
    harm: 'A deposit that is not final is booked to the pocket.',
    edits: [
      {
        file: 'src/payments/intents/deposit-booking.service.ts',
        search: `status === 'confirmed' && bookedAt === null`,
        replace: `status !== 'orphaned' && bookedAt === null`,
      },
    ],
    specs: ['src/payments/intents/settlement.service.spec.ts', 'src/payments/intents/settlement-deadline.spec.ts'],
  },
  {
    name: 'hold-completes',
    harm: 'Final money on hold completes the intent, although it is in no pocket.',
    edits: [
      {
        file: 'src/domain/intent-state.ts',
        search: `final: of('confirmed')`,
        replace: `final: of('confirmed', 'on_hold')`,
      },
    ],
    specs: ['src/domain/intent-state-held.spec.ts'],
  },
  {
    name: 'dust-fails',
    harm: 'A millionth of a coin from a stranger fails an unpaid intent.',
    edits: [
      {
        file: 'src/domain/intent-state.ts',
        search: 'if (isWorthACent(clean, terms)) return',
        replace: 'if (clean > 0n) return',
      },
    ],
    specs: ['src/domain/intent-state-held.spec.ts', 'src/domain/intent-state.spec.ts'],
  },
  {
    name: 'orphan-counts',
    harm: 'A payment that was reorged still pays the intent.',
    edits: [
      {
        file: 'src/domain/intent-state.ts',
        search: `clean: of('seen', 'confirmed')`,
        replace: `clean: of('seen', 'confirmed', 'orphaned')`,
      },
    ],
    specs: ['src/domain/intent-state.spec.ts'],
  },
];
