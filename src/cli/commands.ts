import { DELIVERY_COMMANDS } from './commands/delivery-commands.js';
import type { RegisteredCommand } from './registered-command.js';

/** All commands, in the order of the overview. */
export const COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'demo',
    summary: 'Take one payment from intent to verified webhook',
    load: async () => (await import('./demo/demo.command.js')).demo,
  },
  {
    name: 'pay',
    summary: 'Pay an intent of the sandbox',
    load: async () => (await import('./commands/pay.command.js')).pay,
  },
  {
    name: 'doctor',
    summary: 'Check this installation and say what to fix',
    load: async () => (await import('./doctor/doctor.command.js')).doctor,
  },
  {
    name: 'verify',
    summary: 'Check the books and name the first row that is wrong',
    load: async () => (await import('./commands/verify.command.js')).verify,
  },
  {
    name: 'merchant create',
    summary: 'Create a merchant with its pockets',
    load: async () => (await import('./commands/merchant.command.js')).merchantCreate,
  },
  {
    name: 'merchant verify',
    summary: 'Verify a merchant, so that it may have live keys',
    load: async () => (await import('./commands/merchant.command.js')).merchantVerify,
  },
  {
    name: 'merchant update',
    summary: "Change a merchant's tolerance for underpayment",
    load: async () => (await import('./commands/merchant.command.js')).merchantUpdate,
  },
  {
    name: 'merchant list',
    summary: 'List merchants, newest first',
    load: async () => (await import('./commands/merchant.command.js')).merchantList,
  },
  {
    name: 'key create',
    summary: 'Create an API key; it is shown once',
    load: async () => (await import('./commands/key.command.js')).keyCreate,
  },
  {
    name: 'key revoke',
    summary: 'Revoke an API key',
    load: async () => (await import('./commands/key.command.js')).keyRevoke,
  },
  {
    name: 'key list',
    summary: "List a merchant's API keys",
    load: async () => (await import('./commands/key.command.js')).keyList,
  },
  {
    name: 'intent find',
    summary: 'Find intents by reference, address or transaction',
    load: async () => (await import('./commands/intent-find.command.js')).intentFind,
  },
  {
    name: 'intent cancel',
    summary: 'Cancel an open intent without a payment',
    load: async () => (await import('./commands/intent.command.js')).intentCancel,
  },
  {
    name: 'intent quarantined',
    summary: 'List intents that could not be settled',
    load: async () => (await import('./commands/intent.command.js')).intentQuarantined,
  },
  {
    name: 'intent retry',
    summary: 'Settle a quarantined intent again',
    load: async () => (await import('./commands/intent.command.js')).intentRetry,
  },
  {
    name: 'explain',
    summary: 'Explain the status of an intent and what to do',
    load: async () => (await import('./commands/explain.command.js')).explainIntentCommand,
  },
  {
    name: 'deposits unattributed',
    summary: 'List deposits that did not pay an intent as asked',
    load: async () => (await import('./commands/deposits.command.js')).depositsUnattributed,
  },
  {
    name: 'deposits list',
    summary: 'List unattributed and frozen deposits, which wait for a decision',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsList,
  },
  {
    name: 'deposits resolve',
    summary: 'Credit an unattributed deposit to a merchant, or refund it',
    load: async () => (await import('./commands/deposits-resolve.command.js')).depositsResolve,
  },
  {
    name: 'deposits release',
    summary: 'Release a frozen deposit',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsRelease,
  },
  {
    name: 'deposits keep',
    summary: 'Keep a frozen deposit frozen',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsKeep,
  },
  {
    name: 'deposits reorged',
    formerName: 'deposits gone',
    summary: 'List final deposits that a reorg removed',
    load: async () => (await import('./commands/deposits-reorged.command.js')).depositsReorged,
  },
  {
    name: 'deposits reverse',
    summary: 'Book out a deposit that a reorg removed',
    load: async () => (await import('./commands/deposits-reorged.command.js')).depositsReverse,
  },
  {
    name: 'deposits restore',
    summary: 'Book a reversed deposit in again once it is back on the chain',
    load: async () => (await import('./commands/deposits-reorged.command.js')).depositsRestore,
  },
  {
    name: 'refunds waiting',
    formerName: 'returns waiting',
    summary: 'List refunds that have not ended, and why',
    load: async () => (await import('./commands/refunds.command.js')).refundsWaiting,
  },
  {
    name: 'refunds show',
    formerName: 'returns show',
    summary: 'Show a refund: terms, transaction and decisions',
    load: async () => (await import('./commands/refunds.command.js')).refundsShow,
  },
  {
    name: 'refunds cancel',
    formerName: 'returns cancel',
    summary: 'Cancel a refund that was never signed',
    load: async () => (await import('./commands/refunds.command.js')).refundsCancel,
  },
  {
    name: 'withdrawals waiting',
    summary: 'List withdrawals that have not ended, and why',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsWaiting,
  },
  {
    name: 'withdrawals show',
    summary: 'Show a withdrawal: terms, transaction and decisions',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsShow,
  },
  {
    name: 'withdrawals approve',
    summary: 'Approve a withdrawal that waits for approval',
    load: async () => (await import('./commands/withdrawals-approve.command.js')).withdrawalsApprove,
  },
  {
    name: 'withdrawals cancel',
    summary: 'Cancel a withdrawal that was never signed',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsCancel,
  },
  {
    name: 'withdrawals freeze',
    summary: 'Stop signing on a network or for a merchant',
    load: async () => (await import('./commands/withdrawals-freeze.command.js')).withdrawalsFreeze,
  },
  {
    name: 'withdrawals unfreeze',
    summary: 'Resume signing',
    load: async () => (await import('./commands/withdrawals-freeze.command.js')).withdrawalsUnfreeze,
  },
  {
    name: 'sweeps list',
    summary: 'List sweeps that are not final, and balances that could not be swept',
    load: async () => (await import('./commands/sweeps.command.js')).sweepsList,
  },
  {
    name: 'sweeps retry',
    summary: 'Sweep balances again that were set aside',
    load: async () => (await import('./commands/sweeps.command.js')).sweepsRetry,
  },
  {
    name: 'treasury restored',
    summary: 'After a restore, first: freeze every network',
    load: async () => (await import('./commands/treasury-restored.command.js')).treasuryRestored,
  },
  {
    name: 'treasury unrecorded',
    formerName: 'treasury unknown',
    summary: 'List transactions of a hot wallet that are not in the database',
    load: async () => (await import('./commands/treasury.command.js')).treasuryUnrecorded,
  },
  {
    name: 'treasury adopt',
    summary: 'Record an unrecorded transaction in the books',
    load: async () => (await import('./commands/treasury.command.js')).treasuryAdopt,
  },
  {
    name: 'treasury top-ups',
    summary: 'List the top-ups of the hot wallets',
    load: async () => (await import('./commands/top-ups.command.js')).treasuryTopUps,
  },
  {
    name: 'treasury write-off',
    summary: 'Book out what is missing from a hot wallet for good',
    load: async () => (await import('./commands/treasury-write-off.command.js')).treasuryWriteOff,
  },
  {
    name: 'policy show',
    summary: "Show the limits of a merchant's withdrawals",
    load: async () => (await import('./commands/policy.command.js')).policyShow,
  },
  {
    name: 'policy set',
    summary: "Limit a merchant's withdrawals",
    load: async () => (await import('./commands/policy.command.js')).policySet,
  },
  {
    name: 'policy allow',
    summary: "Put an address on a merchant's allow-list",
    load: async () => (await import('./commands/policy.command.js')).policyAllow,
  },
  {
    name: 'policy disallow',
    summary: "Take an address off a merchant's allow-list",
    load: async () => (await import('./commands/policy.command.js')).policyDisallow,
  },
  {
    name: 'policy pocket-limit',
    summary: 'Limit what a pocket may pay out in 24 hours',
    load: async () => (await import('./commands/policy.command.js')).policyPocketLimit,
  },
  {
    name: 'policy approval-above',
    summary: 'Require an approval for large withdrawals from a pocket',
    load: async () => (await import('./commands/policy.command.js')).policyApprovalAbove,
  },
  {
    name: 'sanctions import',
    summary: 'Import the current sanctions list',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsImport,
  },
  {
    name: 'sanctions status',
    summary: 'Show how old the sanctions list is',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsStatus,
  },
  {
    name: 'sanctions check',
    summary: 'Check whether an address is on the sanctions list',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsCheck,
  },
  {
    name: 'vault init',
    summary: 'Create the vault file with new seeds',
    load: async () => (await import('./commands/vault.command.js')).vaultInit,
  },
  {
    name: 'vault status',
    summary: 'Check that the vault file exists and opens',
    load: async () => (await import('./commands/vault.command.js')).vaultStatus,
  },
  {
    name: 'vault change-passphrase',
    summary: 'Change the passphrase of the vault file',
    load: async () => (await import('./commands/vault-passphrase.command.js')).vaultChangePassphrase,
  },
  {
    name: 'secrets reseal',
    summary: 'Encrypt stored secrets with the current SECRETS_KEY',
    load: async () => (await import('./commands/secrets.command.js')).secretsReseal,
  },
  ...DELIVERY_COMMANDS,
  {
    name: 'chaos',
    summary: 'Test how the service handles a broken node',
    load: async () => (await import('./commands/chaos.command.js')).chaos,
  },
  {
    name: 'migrate',
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./commands/migrate.command.js')).migrate,
  },
];
