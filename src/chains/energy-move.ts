/** The energy of a part of a hot wallet's stake, which a deposit address uses for its sweep meanwhile. No coins move. */
export interface EnergyMove {
  readonly kind: 'lend' | 'take_back';
  /** Keys of addresses: the hot wallet, and the one that has the energy. */
  readonly owner: string;
  readonly borrower: string;
  /** Staked coins in smallest units. */
  readonly stake: bigint;
}

/** A loan or its return as its row orders it. */
export interface OrderedEnergy {
  readonly move: EnergyMove['kind'];
  readonly borrower: string;
  readonly stake: string;
}
