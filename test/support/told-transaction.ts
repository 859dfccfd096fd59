import { type Signature, toQuantity, Transaction } from 'ethers';

/** What a node says of signed bytes (`eth_getTransactionByHash`), with numbers as nodes write them. */
export function toldTransaction(raw: string): Record<string, unknown> {
  const transaction = Transaction.from(raw);
  const { type, hash, from, to, chainId, nonce, value, data, gasLimit } = transaction;
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList, signature } = transaction;
  const isLegacy = type === 0;
  return {
    hash,
    from,
    to,
    type: toQuantity(type ?? 0),
    chainId: toQuantity(chainId),
    nonce: toQuantity(nonce),
    value: toQuantity(value),
    input: data,
    gas: toQuantity(gasLimit),
    ...(gasPrice !== null && { gasPrice: toQuantity(gasPrice) }),
    ...(maxFeePerGas !== null && { maxFeePerGas: toQuantity(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== null && { maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas) }),
    ...(!isLegacy && { accessList: accessList ?? [] }),
    ...(signature !== null && (isLegacy ? toldLegacy(signature, chainId) : told(signature))),
    ...(type === 4 && {
      authorizationList: (authorizationList ?? []).map((each) => ({
        chainId: toQuantity(each.chainId),
        address: each.address,
        nonce: toQuantity(each.nonce),
        ...told(each.signature),
      })),
    }),
  };
}

const toldLegacy = ({ yParity, r, s }: Signature, chainId: bigint) => ({
  v: toQuantity((chainId === 0n ? 27n : 35n + 2n * chainId) + BigInt(yParity)),
  r: toQuantity(r),
  s: toQuantity(s),
});

const told = ({ yParity, r, s }: Signature) => ({
  yParity: toQuantity(yParity),
  r: toQuantity(r),
  s: toQuantity(s),
});
