import type { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import {
  type PayoutState,
  type PayoutTrouble,
  type PayoutTroubleCode,
  troublesOf,
} from '../../withdrawals/payouts/payout-state.js';
import type { PayoutReader } from '../../withdrawals/payouts/payout-reader.service.js';
import { type Finding, ok, warn } from './doctor-finding.js';
import { ageText } from '../commands/transaction-lines.js';

const ADVICE: Readonly<Record<PayoutTroubleCode, string>> = {
  vault_sealed: 'start the process with the vault role, or look at its log: passphrase and file must fit',
  wallet_frozen: 'clear up the cause, then npx coffer withdrawals unfreeze',
  merchants_frozen: 'npx coffer policy show --merchant ... tells why; withdrawals unfreeze once it is cleared up',
  not_replaced: 'docs/operations.md, Stuck withdrawal, tells what each reason needs',
  not_taken: "docs/operations.md, Stuck withdrawal: the worker's log has the nodes' words (no node took a transaction)",
  low_on_gas: "send some of the chain's own coin to the hot wallet: npx coffer withdrawals waiting shows its address",
  no_sweeps: 'docs/operations.md, Sweeps, tells what to do; withdrawals are paid from what the hot wallet holds',
  sweeps_set_aside: 'npx coffer sweeps list shows them; sweeps retry has them tried again',
  waits_long: 'npx coffer withdrawals waiting shows what each waits for',
  ends_late: 'npx coffer withdrawals show ... tells how far it has come; look at the worker and its RPC nodes',
  return_waits_long: 'npx coffer returns waiting shows what each waits for',
  return_ends_late: 'npx coffer returns show ... tells how far it has come; look at the worker and its RPC nodes',
};

/** Whether money can go out, and whether any is kept from it. Warnings: customers go on paying. */
export async function checkPayouts(payouts: PayoutReader, sweeps: SweepOperations): Promise<Finding[]> {
  const state = await payouts.state();
  const chains = new Map(
    state.wallets.map(({ chainRef, environment, network }) => [chainRef, `${environment}/${network}`]),
  );
  const troubles = troublesOf(state).map((trouble) => {
    const where = trouble.chainRef === null ? '' : ` ${chains.get(trouble.chainRef) ?? trouble.chainRef}`;
    return warn(`withdrawals${where}`, detailOf(state, trouble), ADVICE[trouble.code]);
  });
  const miscounted = await sweeps.miscounted();
  if (miscounted > 0) {
    const detail = `Balances to sweep that are not what final deposits brought: ${miscounted}.`;
    troubles.push(warn('sweeps', detail, 'rows were written by hand: clear up which, before anything is swept'));
  }
  troubles.push(...unapproved(state));
  return troubles.length > 0 ? troubles : [ok('withdrawals', `${openCount(state)} on their way, none for long`)];
}

/** Nothing is wrong with what waits for an approval, but only an operator lets it go on. */
function unapproved({ standings }: PayoutState): Finding[] {
  const waiting = standings.find(({ standing }) => standing === 'approval_missing');
  if (waiting === undefined) return [];
  const detail = `${waiting.count} wait for an approval, the oldest for ${ageText(waiting.oldestSeconds)}`;
  return [
    warn('withdrawals', detail, 'npx coffer withdrawals waiting shows them; then withdrawals approve, or cancel'),
  ];
}

/** The sentence, with what only operators are told. */
function detailOf(
  { vault, wallets, refusals, untaken }: PayoutState,
  { code, chainRef, sentence }: PayoutTrouble,
): string {
  if (code === 'wallet_frozen') {
    const reason = wallets.find((wallet) => wallet.chainRef === chainRef)?.frozenReason;
    return `${sentence} (${reason ?? 'no reason was given'})`;
  }
  if (code === 'not_replaced') {
    const refused = refusals.filter((refusal) => refusal.chainRef === chainRef);
    return `${sentence} (${refused.map((one) => `${one.transactionId}, nonce ${one.nonce}: ${one.reason}`).join(' ')})`;
  }
  if (code === 'not_taken') {
    const stuck = untaken.find((one) => one.chainRef === chainRef);
    return `${sentence} (${stuck?.transactionId}, nonce ${stuck?.nonce}: a ${stuck?.purpose})`;
  }
  if (code !== 'vault_sealed') return sentence;
  const seen = vault.seenSecondsAgo === null ? 'none was ever seen' : `last seen ${vault.seenSecondsAgo} s ago`;
  return `${sentence} (${seen})`;
}

const openCount = ({ standings }: PayoutState): number => standings.reduce((sum, { count }) => sum + count, 0);
