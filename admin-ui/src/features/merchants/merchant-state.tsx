import type { components } from '../../api/schema.d.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';

/** Whether a merchant may have live keys. */
export function MerchantState({
  merchant,
}: {
  readonly merchant: Pick<components['schemas']['Merchant'], 'verified_at'>;
}) {
  return merchant.verified_at === null ? (
    <StatusBadge word="Sandbox only" tone="neutral" />
  ) : (
    <StatusBadge word="Verified" tone="good" />
  );
}
