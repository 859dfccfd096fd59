import { type Signature, toQuantity, Transaction } from 'ethers';

/** Returns signed bytes as a node describes them (`eth_getTransactionByHash`). */
export function rpcTransaction(raw: string): Record<string, unknown> {
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
    ...(signature !== null && (isLegacy ? legacySignature(signature, chainId) : signatureFields(signature))),
    ...(type === 4 && {
      authorizationList: (authorizationList ?? []).map((each) => ({
        chainId: toQuantity(each.chainId),
        address: each.address,
        nonce: toQuantity(each.nonce),
        ...signatureFields(each.signature),
      })),
    }),
  };
}

const legacySignature = ({ yParity, r, s }: Signature, chainId: bigint) => ({
  v: toQuantity((chainId === 0n ? 27n : 35n + 2n * chainId) + BigInt(yParity)),
  r: toQuantity(r),
  s: toQuantity(s),
});

const signatureFields = ({ yParity, r, s }: Signature) => ({
  yParity: toQuantity(yParity),
  r: toQuantity(r),
  s: toQuantity(s),
});
