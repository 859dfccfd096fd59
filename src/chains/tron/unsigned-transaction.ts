/** What a payment does, addresses by their keys and amounts in smallest units. */
export type TronPayment =
  | { readonly kind: 'coin'; readonly to: string; readonly amount: bigint }
  | { readonly kind: 'token'; readonly to: string; readonly token: string; readonly amount: bigint };

/** Lends the energy of so much staked sun of the owner to an address, or takes it back. No coins move. */
export interface TronDelegation {
  readonly kind: 'delegate' | 'undelegate';
  readonly to: string;
  readonly amount: bigint;
}

/**
 * Stakes sun of the owner for energy, takes it back, or withdraws all that is due of what was taken back: the amount is 0 then,
 * since the bytes have none. The coins stay the owner's.
 */
export interface TronStaking {
  readonly kind: 'stake' | 'unstake' | 'withdraw';
  readonly amount: bigint;
}

/** What a transaction does. */
export type TronAction = TronPayment | TronDelegation | TronStaking;

/** A transaction of one address before it is signed, with everything that its bytes are made of. */
export interface UnsignedTronTransaction {
  readonly family: 'tron';
  /** Key of the address that acts, pays and signs. */
  readonly owner: string;
  readonly action: TronAction;
  /** The id of the block that the bytes name, of which they have a part. */
  readonly refBlock: string;
  /** Ms: the first time of a block that none can follow with this transaction in it. */
  readonly expiration: number;
  /** Ms. The chain does not judge it: it says which of several equal transactions one is. */
  readonly timestamp: number;
  /** The most sun that are burned for energy; 0 for what calls no contract and uses none. */
  readonly feeLimit: bigint;
}
