import type { DepositReversals } from '../../suspense/deposit-reversals.service.js';
import type { UnallocatedDeposits, HoldingTotal } from '../../suspense/unallocated-deposits.service.js';
import { fail, type Finding, ok, warn } from './doctor-finding.js';

const COUNTED_MAX = 500;
const HOUR = 3_600;

/** Whether deposits wait for a decision of staff, or were taken back by their chain. */
export async function checkDeposits(reversals: DepositReversals, held: UnallocatedDeposits): Promise<Finding[]> {
  const gone = await reversals.pending(COUNTED_MAX);
  const findings = (await held.totals()).flatMap(findingOf);
  const unbooked = await held.unbooked();
  if (unbooked > 0) {
    const advice =
      "start a process with the worker role; if one runs, its log says why in 'A deposit cannot be booked.'";
    findings.push(fail('deposits', `${unbooked} are final and in no books`, advice));
  }
  if (gone.length > 0) {
    const detail = `${gone.length} of the books are not as on their chain`;
    findings.push(
      fail('deposits', detail, 'npx coffer deposits gone lists them; see docs/operations.md, A chain is halted'),
    );
  }
  return findings.length > 0 ? findings : [ok('deposits', 'none waits for a decision')];
}

/** What staff decided to keep frozen waits for nobody. */
function findingOf({ heldAs, count, oldestSeconds }: HoldingTotal): Finding[] {
  const age = `the oldest for ${Math.floor(oldestSeconds / HOUR)} h`;
  switch (heldAs) {
    case 'suspense':
      return [warn('deposits', `${count} belong to nobody, ${age}`, 'npx coffer deposits list --unattributed')];
    case 'frozen':
      return [warn('deposits', `${count} of listed senders are frozen, ${age}`, 'npx coffer deposits list --frozen')];
    default:
      return [];
  }
}
