import { NATIVE_COIN } from '../../domain/network.js';

/** The fields of an EVM transaction that make a transfer. */
export interface TransferCall {
  /** Lower case. */
  readonly to: string;
  /** Smallest units of the chain's own coin. */
  readonly value: bigint;
  /** Hex with `0x`. */
  readonly data: string;
}

/** A transfer. `token` is a contract (lower case) or `NATIVE_COIN`; the amount is in its smallest units. */
export interface Transfer {
  readonly token: string;
  /** Lower case. */
  readonly recipient: string;
  readonly amount: bigint;
}

const WORD_HEX_DIGITS = 64;
/** First four bytes of keccak256("transfer(address,uint256)"). */
const TRANSFER_SELECTOR = 'a9059cbb';
const TRANSFER_CALL = new RegExp(`^0x${TRANSFER_SELECTOR}0{24}([0-9a-f]{40})([0-9a-f]{64})$`);

/** Returns the call that makes a transfer: a payment of the coin, or a call of the token's `transfer`. */
export function transferCall({ token, recipient, amount }: Transfer): TransferCall {
  if (token === NATIVE_COIN) return { to: recipient, value: amount, data: '0x' };
  const words = [recipient.slice(2), amount.toString(16)].map((word) => word.padStart(WORD_HEX_DIGITS, '0'));
  return { to: token, value: 0n, data: `0x${TRANSFER_SELECTOR}${words.join('')}` };
}

/** Decodes a call into its transfer; null when it is not exactly one. Shares no code with `transferCall`, as its check. */
export function readTransferCall({ to, value, data }: TransferCall): Transfer | null {
  if (data === '0x') return { token: NATIVE_COIN, recipient: to.toLowerCase(), amount: value };
  const [, recipient, amount] = TRANSFER_CALL.exec(data.toLowerCase()) ?? [];
  if (recipient === undefined || amount === undefined || value !== 0n) return null;
  return { token: to.toLowerCase(), recipient: `0x${recipient}`, amount: BigInt(`0x${amount}`) };
}
