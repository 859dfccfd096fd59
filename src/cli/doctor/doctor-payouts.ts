import type { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import {
  type PayoutHealth,
  type PayoutTrouble,
  type PayoutTroubleCode,
  troublesOf,
} from '../../withdrawals/payouts/payout-health.js';
import type { PayoutHealthReader } from '../../withdrawals/payouts/payout-health-reader.service.js';
import { type Finding, ok, warn } from './doctor-finding.js';
import { ageText } from '../commands/transaction-lines.js';

const ADVICE: Readonly<Record<PayoutTroubleCode, string>> = {
  vault_sealed: 'start the process with the vault role, or check its log: VAULT_PASSPHRASE must open vault.json',
  wallet_frozen: 'resolve the cause, then run npx coffer withdrawals unfreeze',
  merchants_frozen:
    'npx coffer policy show --merchant ... shows the reason; run withdrawals unfreeze once it is resolved',
  not_replaced: 'see docs/operations.md, "Stuck withdrawal", for each reason',
  not_taken:
    'see the lines "No node accepted the transaction." in the log of the worker, and docs/operations.md, "Stuck withdrawal"',
  low_on_gas: "send some of the chain's own coin to the hot wallet; npx coffer withdrawals waiting shows its address",
  no_sweeps: 'see docs/operations.md, "Sweeps"; meanwhile the hot wallet pays withdrawals from what it holds',
  sweeps_set_aside: 'npx coffer sweeps list shows them; npx coffer sweeps retry tries them again',
  waits_long: 'npx coffer withdrawals waiting shows what each waits for',
  ends_late: 'npx coffer withdrawals show ... shows its progress; check the worker and its RPC nodes',
  refund_waits_long: 'npx coffer refunds waiting shows what each waits for',
  refund_ends_late: 'npx coffer refunds show ... shows its progress; check the worker and its RPC nodes',
};

/** Checks whether payouts work and are in time. Only warns: customers can still pay. */
export async function checkPayouts(payouts: PayoutHealthReader, sweeps: SweepOperations): Promise<Finding[]> {
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
    const detail = `${miscounted} balances to sweep differ from the sum of their final deposits`;
    troubles.push(warn('sweeps', detail, 'find out who changed the rows, before anything is swept'));
  }
  troubles.push(...unapproved(state));
  return troubles.length > 0 ? troubles : [ok('withdrawals', `${openCount(state)} in progress, none overdue`)];
}

/** Withdrawals that wait for approval are not a fault, but only an operator can approve them. */
function unapproved({ standings }: PayoutHealth): Finding[] {
  const waiting = standings.find(({ standing }) => standing === 'approval_missing');
  if (waiting === undefined) return [];
  const detail = `${waiting.count} wait for an approval, the oldest for ${ageText(waiting.oldestSeconds)}`;
  return [
    warn(
      'withdrawals',
      detail,
      'npx coffer withdrawals waiting lists them; run withdrawals approve or withdrawals cancel for each',
    ),
  ];
}

/** Adds to the sentence the details that only operators see. */
function detailOf(
  { vault, wallets, refusals, untaken }: PayoutHealth,
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
  const seen = vault.seenSecondsAgo === null ? 'none was seen yet' : `last seen ${vault.seenSecondsAgo} s ago`;
  return `${sentence} (${seen})`;
}

const openCount = ({ standings }: PayoutHealth): number => standings.reduce((sum, { count }) => sum + count, 0);
