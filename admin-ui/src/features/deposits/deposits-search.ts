import type { NETWORK_WORDS } from '../../ui/networks.ts';

/** What waits for a decision, and what was decided and has not ended. */
export const DECISION_KINDS = ['unattributed', 'on_hold', 'reorged', 'quarantined', 'kept', 'refunding'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];

/** The search of the queue, as it stands in the address. */
export interface DecideSearch {
  kind: DecisionKind;
  after: string;
}

/** What staff should know of: its money is in a pocket already. */
export const KNOW_KINDS = ['under', 'over', 'late'] as const;

/** The search of the queue of what staff should know, as it stands in the address. */
export interface KnowSearch {
  kind: (typeof KNOW_KINDS)[number];
  acknowledged: 'true';
  after: string;
}

/** The search of the list of deposits, as it stands in the address. */
export interface DepositsSearch {
  network: (typeof NETWORK_WORDS)[number];
  after: string;
}
