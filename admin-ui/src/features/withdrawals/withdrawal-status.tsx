import type { components } from '../../api/schema.d.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';

type Withdrawal = components['schemas']['StaffWithdrawal'];

const TONE: Readonly<Record<Withdrawal['status'], Tone>> = {
  broadcasting: 'busy',
  completed: 'good',
  failed: 'bad',
};

/** The status of a withdrawal; of one that staff must decide about, what it waits for. */
export function WithdrawalStatus({
  withdrawal: { status, waits_for: waitsFor },
}: {
  readonly withdrawal: Pick<Withdrawal, 'status' | 'waits_for'>;
}) {
  if (waitsFor === 'approval') return <StatusBadge word="Needs approval" tone="warning" />;
  if (waitsFor === 'unfreezing') return <StatusBadge word="Frozen" tone="paused" />;
  return <StatusBadge word={statusText(status)} tone={TONE[status]} />;
}
