/** What a wallet lacks: a token (its key, or `native`) or the coins for fees, in smallest units. */
export interface WalletShortage {
  readonly address: string;
  readonly token: string;
  readonly isTokenMissing: boolean;
  readonly missing: bigint;
}
