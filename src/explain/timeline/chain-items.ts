import { formatUnits } from '../../domain/money.js';
import type { PaymentDeposit } from '../../payments/deposits/payment-deposit.js';
import { timelineItem, type TimelineItem } from './timeline-item.js';

/** A transfer to the address of an intent, with its network and, if the books know it, its token. */
export interface TimelineTransfer {
  readonly deposit: PaymentDeposit;
  readonly network: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Returns what happened to a transfer: seen, dropped by a reorg, final, booked and booked out. */
export function chainItemsOf({ deposit, network, symbol, decimals }: TimelineTransfer): TimelineItem[] {
  const amount = `${formatUnits(deposit.amount, decimals ?? 0)} ${symbol ?? deposit.tokenContract}`;
  const about = { transactionHash: deposit.txHash, network } as const;
  const { status, confirmedAt, bookedAt, goneAt, reversedAt, restoredAt, heldAs } = deposit;
  const elsewhere = deposit.unattributedReason === null ? null : 'It does not count for this intent.';
  return [
    timelineItem({
      ...about,
      kind: 'payment_seen',
      at: deposit.seenAt,
      title: `${amount} seen on ${network} in block ${deposit.blockHeight}.`,
      detail: elsewhere ?? (deposit.late === true ? 'Too late to count for this intent.' : null),
    }),
    ...(status === 'orphaned'
      ? [
          timelineItem({
            ...about,
            kind: 'payment_orphaned',
            at: null,
            title: `A reorganisation of ${network} took ${amount} back.`,
            failed: true,
          }),
        ]
      : []),
    ...(confirmedAt === null
      ? []
      : [timelineItem({ ...about, kind: 'payment_final', at: confirmedAt, title: `${amount} is final.` })]),
    ...(bookedAt === null
      ? []
      : [timelineItem({ ...about, kind: 'payment_booked', at: bookedAt, title: bookedText(amount, deposit, heldAs) })]),
    ...(goneAt === null
      ? []
      : [
          timelineItem({
            ...about,
            kind: 'payment_orphaned',
            at: goneAt,
            title: `${amount} left the chain after it was final.`,
            failed: true,
          }),
        ]),
    ...(reversedAt === null
      ? []
      : [timelineItem({ ...about, kind: 'payment_booked_out', at: reversedAt, title: `${amount} was booked out.` })]),
    ...(restoredAt === null
      ? []
      : [timelineItem({ ...about, kind: 'payment_booked', at: restoredAt, title: `${amount} was booked in again.` })]),
  ];
}

function bookedText(amount: string, deposit: PaymentDeposit, heldAs: PaymentDeposit['heldAs']): string {
  if (heldAs === 'frozen') return `${amount} is on hold: its sender is on the sanctions list.`;
  if (heldAs === 'kept') return `${amount} is kept by decision of staff.`;
  if (heldAs === 'suspense') return `${amount} is in suspense: it belongs to no intent.`;
  if (heldAs === 'returning') return `${amount} is on its way back as a refund.`;
  return deposit.unattributedReason === null ? `${amount} reached the pocket.` : `${amount} was resolved by staff.`;
}
