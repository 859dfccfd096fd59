import { getAddress } from 'ethers';
import * as fc from 'fast-check';
import type { EvmTransactionFields } from '../../src/chains/evm/evm-transaction.js';

const SOMEBODY = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** A payout of one coin on a development chain, with the fields of `differing` instead of its own. */
export function anEvmTransaction(differing: Partial<EvmTransactionFields> = {}): EvmTransactionFields {
  return {
    chainId: 31337n,
    nonce: 7,
    to: SOMEBODY,
    value: 10n ** 18n,
    data: '0x',
    gasLimit: 21_000n,
    maxFeePerGas: 30_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...differing,
  };
}

const bytes = (constraints: fc.IntArrayConstraints) =>
  fc.uint8Array(constraints).map((array) => `0x${Buffer.from(array).toString('hex')}`);

const fees = fc
  .tuple(fc.bigInt(0n, 10n ** 13n), fc.bigInt(0n, 10n ** 13n))
  .map(([a, b]) =>
    a < b ? { maxPriorityFeePerGas: a, maxFeePerGas: b } : { maxPriorityFeePerGas: b, maxFeePerGas: a },
  );

/** Any transaction that the vault would sign, the recipient checksummed or in lower case. */
export const anyEvmTransaction: fc.Arbitrary<EvmTransactionFields> = fc
  .record({
    chainId: fc.bigInt(1n, 2n ** 64n - 1n),
    nonce: fc.nat(2 ** 31),
    to: fc.tuple(bytes({ minLength: 20, maxLength: 20 }), fc.boolean()),
    value: fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 256n - 1n)),
    data: bytes({ maxLength: 100 }),
    gasLimit: fc.bigInt(21_000n, 30_000_000n),
    fees,
  })
  .map(({ to: [to, checksummed], fees: both, ...rest }) => ({
    ...rest,
    ...both,
    to: checksummed ? getAddress(to) : to,
  }));
