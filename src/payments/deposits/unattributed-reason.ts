import type { Network } from '../../domain/network.js';
import type { UnattributedReason } from './deposit.entity.js';

/** The network and token that the intent of the address asks for, if there is one. */
export interface AskedFor {
  readonly network: Network | null;
  readonly token: string | null;
}

const TEXTS: Readonly<Record<UnattributedReason, (asked: AskedFor) => string>> = {
  other_network: ({ network }) => `other network: the intent is to be paid on ${network ?? 'another one'}`,
  other_token: ({ token }) => `other token: the intent asks for ${token ?? 'another one'}`,
  address_not_assigned: () => 'address not assigned: no intent had it, and none will get it',
};

/** Returns in plain words why a deposit belongs to no intent. */
export function unattributedReasonText(reason: UnattributedReason, asked: AskedFor): string {
  return TEXTS[reason](asked);
}
