/** A move of funds between two owners, as an instruction of a transaction. */
export type FundsMove =
  | { readonly kind: 'coin'; readonly from: string; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'token';
      readonly from: string;
      readonly to: string;
      readonly token: string;
      /** Another account of the owner that it takes the tokens from; left out for the associated one. */
      readonly source?: string;
      readonly decimals: number;
      readonly amount: bigint;
      /** Creates the recipient's account of this token at the payer's cost, unless it exists. */
      readonly opensAccount: boolean;
    }
  /** Closes the owner's account of a token, or its `source`, which is empty by then; its rent goes to `to`. */
  | {
      readonly kind: 'close';
      readonly from: string;
      readonly token: string;
      readonly source?: string;
      readonly to: string;
    };

/** Returns the source of a move; nothing for the associated account (null), so that equal moves have equal fields. */
export const sourceOf = (account: string | null): { readonly source?: string } =>
  account === null ? {} : { source: account };

/** A transaction of moves before it is signed, with everything that its bytes are made of. */
export interface UnsignedMoves {
  readonly family: 'solana';
  readonly payer: string;
  readonly moves: readonly FundsMove[];
  /** The hash of the block that the bytes name. */
  readonly blockhash: string;
  readonly computeUnitLimit: number;
  /** Millionths of the coin's smallest unit for one compute unit. */
  readonly computeUnitPrice: bigint;
}
