import { DELIVERY_COMMANDS } from './commands/delivery-commands.js';
import type { RegisteredCommand } from './registered-command.js';

/** Every command, in the order of the overview. */
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
    summary: 'Prove the books, or name the first row that is wrong',
    load: async () => (await import('./commands/verify.command.js')).verify,
  },
  {
    name: 'merchant create',
    summary: 'Create a merchant with its pockets',
    load: async () => (await import('./commands/merchant.command.js')).merchantCreate,
  },
  {
    name: 'merchant verify',
    summary: 'Vouch for a merchant, so that it may have live keys',
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
    summary: 'Revoke an API key for good',
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
    summary: 'Cancel an open intent that nobody has paid into',
    load: async () => (await import('./commands/intent.command.js')).intentCancel,
  },
  {
    name: 'intent quarantined',
    summary: 'List intents that could not be settled',
    load: async () => (await import('./commands/intent.command.js')).intentQuarantined,
  },
  {
    name: 'intent retry',
    summary: 'Let a quarantined intent be settled again',
    load: async () => (await import('./commands/intent.command.js')).intentRetry,
  },
  {
    name: 'explain',
    summary: 'Say where an intent stands and what to do',
    load: async () => (await import('./commands/explain.command.js')).explainIntentCommand,
  },
  {
    name: 'deposits unattributed',
    summary: 'List money that paid no intent as it should',
    load: async () => (await import('./commands/deposits.command.js')).depositsUnattributed,
  },
  {
    name: 'deposits list',
    summary: 'List money that is in no pocket and waits for you',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsList,
  },
  {
    name: 'deposits resolve',
    summary: 'Give an unattributed deposit to a merchant, or pay it out',
    load: async () => (await import('./commands/deposits-resolve.command.js')).depositsResolve,
  },
  {
    name: 'deposits release',
    summary: 'Let go of a deposit from a listed sender',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsRelease,
  },
  {
    name: 'deposits keep',
    summary: 'Keep a deposit from a listed sender frozen',
    load: async () => (await import('./commands/deposits-held.command.js')).depositsKeep,
  },
  {
    name: 'deposits gone',
    summary: 'List deposits that the chain took back',
    load: async () => (await import('./commands/deposits-gone.command.js')).depositsGone,
  },
  {
    name: 'deposits reverse',
    summary: 'Book out a deposit that the chain took back',
    load: async () => (await import('./commands/deposits-gone.command.js')).depositsReverse,
  },
  {
    name: 'deposits restore',
    summary: 'Book in again what came back to the chain',
    load: async () => (await import('./commands/deposits-gone.command.js')).depositsRestore,
  },
  {
    name: 'returns waiting',
    summary: 'List deposits that are being paid out, and how far they are',
    load: async () => (await import('./commands/returns.command.js')).returnsWaiting,
  },
  {
    name: 'returns show',
    summary: 'Show all that is known of a deposit that is paid out',
    load: async () => (await import('./commands/returns.command.js')).returnsShow,
  },
  {
    name: 'returns cancel',
    summary: 'Take back a return that was never signed',
    load: async () => (await import('./commands/returns.command.js')).returnsCancel,
  },
  {
    name: 'withdrawals waiting',
    summary: 'List withdrawals that have not ended, and why',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsWaiting,
  },
  {
    name: 'withdrawals show',
    summary: 'Show all that is known of a withdrawal',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsShow,
  },
  {
    name: 'withdrawals approve',
    summary: 'Let a withdrawal be signed that a rule holds back',
    load: async () => (await import('./commands/withdrawals-approve.command.js')).withdrawalsApprove,
  },
  {
    name: 'withdrawals cancel',
    summary: 'Give back a withdrawal that was never signed',
    load: async () => (await import('./commands/withdrawals.command.js')).withdrawalsCancel,
  },
  {
    name: 'withdrawals freeze',
    summary: 'Stop signing on a network or for a merchant',
    load: async () => (await import('./commands/withdrawals-freeze.command.js')).withdrawalsFreeze,
  },
  {
    name: 'withdrawals unfreeze',
    summary: 'Let signing go on',
    load: async () => (await import('./commands/withdrawals-freeze.command.js')).withdrawalsUnfreeze,
  },
  {
    name: 'sweeps list',
    summary: 'List sweeps that are not final, and balances that could not be swept',
    load: async () => (await import('./commands/sweeps.command.js')).sweepsList,
  },
  {
    name: 'sweeps retry',
    summary: 'Have balances swept that were set aside',
    load: async () => (await import('./commands/sweeps.command.js')).sweepsRetry,
  },
  {
    name: 'treasury restored',
    summary: 'After a restore, first: freeze every network and believe no count',
    load: async () => (await import('./commands/treasury-restored.command.js')).treasuryRestored,
  },
  {
    name: 'treasury unknown',
    summary: 'List what a hot wallet sent and the database does not know',
    load: async () => (await import('./commands/treasury.command.js')).treasuryUnknown,
  },
  {
    name: 'treasury adopt',
    summary: 'Take a forgotten transaction into the books',
    load: async () => (await import('./commands/treasury.command.js')).treasuryAdopt,
  },
  {
    name: 'treasury top-ups',
    summary: 'List what was put into the hot wallets',
    load: async () => (await import('./commands/top-ups.command.js')).treasuryTopUps,
  },
  {
    name: 'treasury write-off',
    summary: 'Book out what a hot wallet lacks for good',
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
    summary: 'Limit what may leave a pocket in a day',
    load: async () => (await import('./commands/policy.command.js')).policyPocketLimit,
  },
  {
    name: 'policy approval-above',
    summary: 'Have large withdrawals out of a pocket wait for an approval',
    load: async () => (await import('./commands/policy.command.js')).policyApprovalAbove,
  },
  {
    name: 'sanctions import',
    summary: 'Take in the current sanctions list',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsImport,
  },
  {
    name: 'sanctions status',
    summary: 'Show how old the sanctions list is',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsStatus,
  },
  {
    name: 'sanctions check',
    summary: 'Say whether an address is on the sanctions list',
    load: async () => (await import('./commands/sanctions.command.js')).sanctionsCheck,
  },
  {
    name: 'vault init',
    summary: 'Create the vault file with new seeds',
    load: async () => (await import('./commands/vault.command.js')).vaultInit,
  },
  {
    name: 'vault status',
    summary: 'Show whether the vault file is there and opens',
    load: async () => (await import('./commands/vault.command.js')).vaultStatus,
  },
  {
    name: 'vault change-passphrase',
    summary: 'Seal the vault file under another passphrase',
    load: async () => (await import('./commands/vault-passphrase.command.js')).vaultChangePassphrase,
  },
  {
    name: 'secrets reseal',
    summary: 'Seal stored secrets under the present SECRETS_KEY',
    load: async () => (await import('./commands/secrets.command.js')).secretsReseal,
  },
  ...DELIVERY_COMMANDS,
  {
    name: 'chaos',
    summary: 'Rehearse what a broken node does to the service',
    load: async () => (await import('./commands/chaos.command.js')).chaos,
  },
  {
    name: 'migrate',
    summary: 'Bring the database schema up to date',
    load: async () => (await import('./commands/migrate.command.js')).migrate,
  },
];
