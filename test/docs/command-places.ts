import type { StaffRole } from '../../src/staff/permissions.js';

/** Where an operator does what a command does: in the console, by an operation of its document, or in a shell. */
export type CommandPlace =
  | { readonly in: 'console'; readonly operation: string; readonly role: StaffRole; readonly stepUp: boolean }
  | { readonly in: 'shell'; readonly reason: string };

const read = (operation: string): CommandPlace => ({ in: 'console', operation, role: 'viewer', stepUp: false });
const act = (operation: string): CommandPlace => ({ in: 'console', operation, role: 'support', stepUp: false });
/** With the role admin and a fresh proof of identity. */
const decide = (operation: string): CommandPlace => ({ in: 'console', operation, role: 'admin', stepUp: true });
const administer = (operation: string): CommandPlace => ({ in: 'console', operation, role: 'admin', stepUp: false });
const shell = (reason: string): CommandPlace => ({ in: 'shell', reason });

const NOT_YET = shell('not in the console yet');
const EVIDENCE = shell('needs evidence from outside; one wrong click pays twice');
const WIDENS = shell('a stolen session must not add members or roles');
const KEYS = shell('handles keys or the passphrase, which reach no browser');
const FUNDS = shell('moves our own funds');
const SANDBOX = shell('runs on the development machine');

/** Every command of `npx coffer`. A command without a row fails the test, and so does a row that the console contradicts. */
export const COMMAND_PLACES: Readonly<Record<string, CommandPlace>> = {
  demo: SANDBOX,
  pay: act('payIntent'),
  doctor: shell('checks the machine: settings, files, nodes, rights'),
  verify: shell('reads all books and asks the chains, for minutes'),
  'merchant create': decide('createMerchant'),
  'merchant verify': decide('verifyMerchant'),
  'merchant update': decide('setMerchantTolerance'),
  'merchant list': read('listMerchants'),
  'key create': decide('createApiKey'),
  'key revoke': act('revokeApiKey'),
  'key list': read('listApiKeys'),
  'staff invite': WIDENS,
  'staff list': administer('listTeam'),
  'staff role': WIDENS,
  'staff reset': WIDENS,
  'staff disable': administer('disableMember'),
  'intent find': read('search'),
  'intent cancel': NOT_YET,
  'intent quarantined': read('listDecisions'),
  'intent retry': act('retryIntent'),
  explain: read('getIntent'),
  'deposits mismatched': read('listMismatchedDeposits'),
  'deposits list': read('listDecisions'),
  'deposits find': shell('asks a node at once; the search comes to each address by itself'),
  'deposits resolve': decide('creditDeposit'),
  'deposits release': decide('releaseDeposit'),
  'deposits keep': act('keepDeposit'),
  'deposits reorged': read('listDecisions'),
  'deposits reverse': EVIDENCE,
  'deposits restore': EVIDENCE,
  'refunds waiting': read('listDecisions'),
  'refunds show': read('getStaffDeposit'),
  'refunds cancel': act('cancelRefund'),
  'withdrawals waiting': read('listStaffWithdrawals'),
  'withdrawals show': read('getStaffWithdrawal'),
  'withdrawals approve': decide('approveWithdrawal'),
  'withdrawals cancel': act('cancelWithdrawal'),
  'withdrawals freeze': act('freezeSigning'),
  'withdrawals unfreeze': decide('unfreezeSigning'),
  'sweeps list': read('getTreasury'),
  'sweeps retry': NOT_YET,
  'treasury restored': EVIDENCE,
  'treasury unrecorded': NOT_YET,
  'treasury adopt': EVIDENCE,
  'treasury top-ups': read('getTreasury'),
  'treasury write-off': EVIDENCE,
  'treasury stake': FUNDS,
  'treasury unstake': FUNDS,
  'treasury withdraw-stake': FUNDS,
  'treasury cancel-stake': FUNDS,
  'treasury stakes': shell('asks the chain what is staked'),
  'networks pause': act('pauseListener'),
  'networks resume': decide('resumeListener'),
  'policy show': read('getPolicy'),
  'policy set': shell('can loosen a policy; the console tightens it'),
  'policy allow': shell('loosens a policy'),
  'policy disallow': act('disallowDestination'),
  'policy pocket-limit': shell('can loosen a policy; the console tightens it'),
  'policy approval-above': shell('can loosen a policy; the console tightens it'),
  'sanctions import': shell('reads a file of the machine'),
  'sanctions status': read('getSanctions'),
  'sanctions check': NOT_YET,
  'vault init': KEYS,
  'vault status': KEYS,
  'vault change-passphrase': KEYS,
  'secrets reseal': KEYS,
  'deliveries list': read('listDeliveries'),
  'deliveries show': read('getDelivery'),
  'deliveries retry': act('resendDelivery'),
  'deliveries recover': act('createReplayJob'),
  'deliveries send-missing': act('createReplayJob'),
  chaos: SANDBOX,
  migrate: shell('changes the schema as its owner'),
};
