import type { UsableResource } from './account.js';

/** What one account has delegated to another, in staked sun. Locked ones are kept apart. */
export interface Delegation {
  readonly from: string;
  readonly to: string;
  readonly amounts: Readonly<Record<UsableResource, bigint>>;
  /** Ms; 0 when it was never locked. */
  readonly expiresAt: Readonly<Record<UsableResource, number>>;
}

/** Source: DelegatedResourceCapsule.createDbKeyV2. */
export const delegationKey = (from: string, to: string, isLocked: boolean): string =>
  `${isLocked ? 'locked' : 'free'}:${from}:${to}`;
