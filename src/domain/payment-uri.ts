import { parseEvmAddress } from './evm-address.js';
import { formatUnits } from './money.js';
import { type AddressFamily, NATIVE_COIN } from './network.js';

/** A transfer that a wallet proposes to its user. */
export interface PaymentRequest {
  readonly family: AddressFamily;
  /** As in the catalogue of networks; decimal on EVM networks. */
  readonly chainId: string;
  /** Contract or mint of the token, or `NATIVE_COIN`. */
  readonly token: string;
  readonly decimals: number;
  /** Recipient, as it is shown. */
  readonly to: string;
  /** Amount in smallest units, above zero. */
  readonly units: bigint;
}

const CHAIN_ID = /^[1-9]\d*$/;
const RECIPIENTS: Readonly<Record<AddressFamily, RegExp>> = {
  evm: /^0x(?!0{40}$)[0-9a-fA-F]{40}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
};

/** All intents are in one of few tokens. */
const spellings = new Map<string, string>();

function spelled(token: string): string {
  const known = spellings.get(token);
  if (known !== undefined) return known;
  const parsed = parseEvmAddress(token);
  if (parsed === null) throw new RangeError(`${token} is not an EVM address.`);
  spellings.set(token, parsed.checksummed);
  return parsed.checksummed;
}

/**
 * Returns the `payment_uri` that wallets open from a link or a QR code: EIP-681 on EVM networks, Solana Pay on solana, the
 * plain address on tron. That has no standard: some wallets read `tron:` before the address, and TronLink refuses it, which
 * most people use; all of them read an address. Does not verify the checksum of the recipient: an address that went bad in
 * our tables must not hide all intents of its list.
 * @throws RangeError for another invalid payment, because addresses and amounts come from our own tables
 */
export function paymentUri(request: PaymentRequest): string {
  const { family, to, units } = request;
  if (!RECIPIENTS[family].test(to) || units < 1n) throw new RangeError('Not a payment on a chain.');
  return URIS[family](request);
}

const URIS: Readonly<Record<AddressFamily, (request: PaymentRequest) => string>> = {
  evm: ({ chainId, token, to, units }) => {
    if (!CHAIN_ID.test(chainId)) throw new RangeError('Not a payment on a chain.');
    if (token === NATIVE_COIN) return `ethereum:${to}@${chainId}?value=${units}`;
    return `ethereum:${spelled(token)}@${chainId}/transfer?address=${to}&uint256=${units}`;
  },
  solana: ({ token, decimals, to, units }) =>
    `solana:${to}?amount=${formatUnits(units, decimals)}${token === NATIVE_COIN ? '' : `&spl-token=${token}`}`,
  tron: ({ to }) => to,
};
