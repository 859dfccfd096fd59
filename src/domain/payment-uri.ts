import { parseEvmAddress } from './evm-address.js';
import { NATIVE_COIN } from './network.js';

/** A transfer on an EVM network that a wallet proposes to its user. */
export interface EvmPaymentRequest {
  readonly family: 'evm';
  /** Decimal, as in the catalogue of networks. */
  readonly chainId: string;
  /** Contract of the token, or `NATIVE_COIN`. */
  readonly token: string;
  /** Recipient. */
  readonly to: string;
  /** Amount in smallest units, above zero. */
  readonly units: bigint;
}

/** A payment that a wallet is asked to make; other address families are added here. */
export type PaymentRequest = EvmPaymentRequest;

const CHAIN_ID = /^[1-9]\d*$/;

/** An intent is shown several times in a row, and all intents in one of few tokens. */
const REMEMBERED_MAX = 1_000;
const remembered = new Map<string, string>();

function checksummed(address: string): string {
  const known = remembered.get(address);
  if (known !== undefined) return known;
  const parsed = parseEvmAddress(address);
  if (parsed === null) throw new RangeError(`${address} is not an EVM address.`);
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  remembered.set(address, parsed.checksummed);
  return parsed.checksummed;
}

/**
 * Returns the `payment_uri` that wallets open from a link or a QR code: EIP-681 on EVM networks. Throws `RangeError` for
 * an invalid payment, because addresses and amounts come from our own tables.
 */
export function paymentUri({ chainId, token, to, units }: PaymentRequest): string {
  if (!CHAIN_ID.test(chainId) || units < 1n) throw new RangeError('Not a payment on a chain.');
  if (token === NATIVE_COIN) return `ethereum:${checksummed(to)}@${chainId}?value=${units}`;
  return `ethereum:${checksummed(token)}@${chainId}/transfer?address=${checksummed(to)}&uint256=${units}`;
}
