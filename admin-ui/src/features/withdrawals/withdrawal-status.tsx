import type { components } from '../../api/schema.d.ts';
import { StatusBadge, type Tone } from '../../ui/status-badge.tsx';
import { statusText } from '../../ui/status-words.ts';

type Withdrawal = components['schemas']['StaffWithdrawal'];

const TONE: Readonly<Record<Withdrawal['status'], Tone>> = {
  broadcasting: 'busy',
  completed: 'good',
  failed: 'bad',
};

/** The status of a withdrawal; of one that staff stopped or must decide about, what they did or must do. */
export function WithdrawalStatus({
  withdrawal: { status, waits_for: waitsFor, failure_code: failure },
}: {
  readonly withdrawal: Pick<Withdrawal, 'status' | 'waits_for' | 'failure_code'>;
}) {
  if (waitsFor === 'approval') return <StatusBadge word="Needs approval" tone="warning" />;
  if (waitsFor === 'unfreezing') return <StatusBadge word="Frozen" tone="paused" />;
  if (failure === 'cancelled') return <StatusBadge word="Cancelled by staff" tone="neutral" />;
  return <StatusBadge word={statusText(status)} tone={TONE[status]} />;
}
