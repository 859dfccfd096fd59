/**
 * What a hot wallet does with its stake, which gives energy: it stakes coins, takes staked ones back, or withdraws those that
 * were taken back long enough ago. No coins leave its account.
 */
export interface StakeMove {
  readonly kind: 'stake' | 'unstake' | 'withdraw';
  /** Key of the hot wallet. */
  readonly owner: string;
  /** Smallest units; 0 for a withdrawal, which takes all that is due. */
  readonly amount: bigint;
}

/** The same as its row orders it. */
export interface OrderedStake {
  readonly move: StakeMove['kind'];
  readonly amount: string;
}
