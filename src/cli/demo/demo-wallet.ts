import type { Sandbox } from '../sandbox-file.js';

/** A chain of the sandbox, with the key of its faucet. */
export type DemoChain = Sandbox['networks'][string];

/** The payment of a customer. */
export interface DemoOrder {
  /** Contract or mint of the token; null = the chain's own coin. */
  readonly token: string | null;
  readonly to: string;
  /** Smallest units. */
  readonly amount: bigint;
}

/** A payment that is in a block. */
export interface DemoPayment {
  readonly txHash: string;
  readonly blockNumber: number;
}

/** A customer's wallet, with the key of the faucet. */
export interface DemoWallet {
  /** Signs a transfer, sends it to the node of the chain, and waits for its block. The service has to find it there. */
  pay(order: DemoOrder): Promise<DemoPayment>;
  /** Reads the balance of an address from the chain, in smallest units of a token (null = the chain's own coin). */
  balanceOf(token: string | null, holder: string): Promise<bigint>;
  /** Returns a new address, such as a wallet of the merchant would show. */
  newAddress(): Promise<string>;
}
