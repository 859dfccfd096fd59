import type { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import type { DepositsWithoutPocket, HoldingTotal } from '../../suspense/deposits-without-pocket.service.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const COUNTED_MAX = 500;
const HOUR = 3_600;

/** Checks for deposits that wait for a decision, that are not booked, or that a reorg removed. */
export async function checkDeposits(reversals: DepositReversals, held: DepositsWithoutPocket): Promise<Finding[]> {
  const reorged = await reversals.pending(COUNTED_MAX);
  const findings = (await held.totals()).flatMap(findingOf);
  const unbooked = await held.unbooked();
  if (unbooked > 0) {
    const advice =
      "start a process with the worker role; if one runs, see the lines 'A deposit cannot be booked.' in its log";
    findings.push(fail('deposits', `${unbooked} are final and not booked`, advice));
  }
  if (reorged.length > 0) {
    const detail = `${reorged.length} are booked otherwise than on their chain, after a reorg`;
    findings.push(
      fail('deposits', detail, 'npx coffer deposits reorged lists them; see docs/operations.md, "A chain is halted"'),
    );
  }
  return findings.length > 0 ? findings : [ok('deposits', 'none waits for a decision')];
}

/** Deposits that an operator decided to keep frozen need no decision. */
function findingOf({ heldAs, count, oldestSeconds }: HoldingTotal): Finding[] {
  const age = `the oldest for ${Math.floor(oldestSeconds / HOUR)} h`;
  switch (heldAs) {
    case 'suspense':
      return [warn('deposits', `${count} are unattributed, ${age}`, 'npx coffer deposits list --unattributed')];
    case 'frozen':
      return [warn('deposits', `${count} of listed senders are frozen, ${age}`, 'npx coffer deposits list --frozen')];
    default:
      return [];
  }
}
