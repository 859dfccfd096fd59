import { NATIVE_COIN } from './network.js';

interface TransferGas {
  /** The gas that a payment is expected to use: merchants pay for this. */
  readonly quoted: bigint;
  /** The gas that a payment may use: simulated and signed. Unused gas costs nothing. */
  readonly limit: bigint;
}

/** The gas of one payment. A limit above the quoted gas is room for tokens that use more; it does not raise the fee. */
export const TRANSFER_GAS = {
  /**
   * A transfer to an address that never held the token writes a new slot: USDT and USDC behind its proxy use 60,000 to
   * 63,000. It calls no other contract, so the limit has room.
   */
  token: { quoted: 65_000n, limit: 120_000n },
  /**
   * A transfer uses 21,000, and up to 28,000 when the recipient is a contract wallet. It calls its destination from the
   * hot wallet, and a contract called there may sweep our deposit addresses unasked (`SweepDelegate`): the 9,000 gas
   * beyond a bare transfer let a contract wallet receive coins, and are too little for the two cold addresses and the
   * balance or the payment of a sweep (9,900 at least). So this limit has no room.
   */
  coin: { quoted: 30_000n, limit: 30_000n },
} as const satisfies Readonly<Record<string, TransferGas>>;

/** Returns the gas of a payment in this token (contract, or `NATIVE_COIN`). */
export const transferGas = (token: string): TransferGas =>
  token === NATIVE_COIN ? TRANSFER_GAS.coin : TRANSFER_GAS.token;
