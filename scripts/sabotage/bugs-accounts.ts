import type { Bug } from './bug.ts';

const ACCOUNT_DATA = ['src/chains/solana/account-data.spec.ts'];
const OTHER_ACCOUNTS = ['src/suspense/other-accounts/other-accounts.spec.ts'];
const SWEEPS = ['src/treasury/sweeps/expiring/other-account-sweeps.spec.ts'];

/** Bugs with token accounts of our addresses beside their associated ones. */
export const ACCOUNT_BUGS: readonly Bug[] = [
  {
    name: 'account-of-another-owner',
    harm: 'A stranger opens a token account again that a sweep has closed, and its balance counts for the address that owned it.',
    edits: [
      {
        file: 'src/chains/solana/account-data.ts',
        search: 'if (holding?.owner !== owner || holding.token !== token)',
        replace: "if (holding === null || owner === '' || holding.token !== token)",
      },
    ],
    specs: [...ACCOUNT_DATA, ...OTHER_ACCOUNTS],
  },
  {
    name: 'account-of-another-token',
    harm: 'A token account is opened again for a worthless token, and its balance counts as the one that was credited.',
    edits: [
      {
        file: 'src/payments/listener/accounts/account-reader.ts',
        search: "blockedBy === null || blockedBy === 'replaced'",
        replace: 'blockedBy === null || blockedBy.length > 0',
      },
      {
        file: 'src/chains/solana/account-data.ts',
        search: "return { units: 0n, obstacle: 'replaced' };",
        replace: "return { units: holding?.units ?? 0n, obstacle: 'replaced' };",
      },
    ],
    specs: [...ACCOUNT_DATA, ...OTHER_ACCOUNTS],
  },
  {
    name: 'account-handed-over',
    harm: 'What payers paid into their own token account is credited when they make it ours, beside what it holds then.',
    edits: [
      {
        file: 'src/payments/listener/accounts/account-reader.ts',
        search: '(transfer) => checked.has(keyOf(transfer, transfer.owner))',
        replace: '() => checked.size >= 0',
      },
      {
        file: 'src/payments/listener/accounts/account-reader.ts',
        search: 'isChecked(transfer) ? ownerOf.get(keyOf(transfer, transfer.owner)) : undefined',
        replace:
          'isChecked(transfer) ? ours.find(({ account }) => account === transfer.account)?.addressKey : undefined',
      },
    ],
    specs: OTHER_ACCOUNTS,
  },
  {
    name: 'obstacle-credited',
    harm: 'Tokens are credited in an account that others may act on.',
    edits: [
      {
        file: 'src/suspense/other-accounts/admitted-accounts.ts',
        search: 'const obstacle = account.obstacle ??',
        replace: 'const obstacle = (account.units < 0n ? account.obstacle : null) ??',
      },
    ],
    specs: ['src/suspense/other-accounts/admitted-accounts.spec.ts', ...OTHER_ACCOUNTS],
  },
  {
    name: 'obstacle-swept',
    harm: 'An account with an obstacle is in each sweep of its address, and all of them fail.',
    edits: [
      {
        file: 'src/treasury/sweeps/expiring/credited-balances.sql.ts',
        search: '${credited.obstacle} is null and ${credited.failures} < ${TRIES}',
        replace: '${credited.failures} < ${TRIES}',
      },
      {
        file: 'src/treasury/sweeps/expiring/held-balances.ts',
        search: 'if (isBlocked || isFrozenByIssuer || units',
        replace: 'if ((isBlocked && isFrozenByIssuer && units < 0n) || units',
      },
    ],
    specs: [...SWEEPS, 'src/treasury/sweeps/expiring/held-balances.spec.ts'],
  },
  {
    name: 'failure-of-another-account',
    harm: 'One account whose sweeps fail has all balances of its address and token set aside.',
    edits: [
      {
        file: 'src/treasury/sweeps/sweep-failures.sql.ts',
        search: 'where ${emptied.sweepId} = ${item.sweepId} and ${emptied.position} = ${item.position})`;',
        replace: 'where false)`;',
      },
    ],
    specs: SWEEPS,
  },
  {
    name: 'number-in-every-limit',
    harm: 'A Tron payment with a higher limit than its simulation passes the audit.',
    edits: [
      {
        file: 'src/auditor/checks/refusal-checks.sql.ts',
        search: "${sent.family} = 'solana' then",
        replace: "${sent.family} <> 'evm' then",
      },
    ],
    specs: ['src/treasury/expiring/tron-withdrawals.spec.ts'],
  },
];
