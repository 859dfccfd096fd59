import { type Signature, toQuantity, Transaction } from 'ethers';

/** What a node says of signed bytes (`eth_getTransactionByHash`), with numbers as nodes write them. */
export function toldTransaction(raw: string): Record<string, unknown> {
  const transaction = Transaction.from(raw);
  const { type, hash, from, to, chainId, nonce, value, data, gasLimit } = transaction;
  const { maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList, signature } = transaction;
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
    maxFeePerGas: toQuantity(maxFeePerGas ?? 0n),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas ?? 0n),
    accessList: accessList ?? [],
    ...(signature !== null && told(signature)),
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

const told = ({ yParity, r, s }: Signature) => ({
  yParity: toQuantity(yParity),
  r: toQuantity(r),
  s: toQuantity(s),
});
