import { toBeHex, zeroPadValue } from 'ethers';
import { TRANSFER_TOPIC } from '../../src/chains/evm/transfer-log.js';

/** The log of a transfer in the format of a node; `units` in smallest units. */
export const tokenLog = (
  { hash, number }: { readonly hash: string; readonly number: string },
  transactionHash: string,
  token: string,
  ends: readonly [from: string, to: string],
  units: bigint,
) => ({
  blockHash: hash,
  blockNumber: number,
  transactionHash,
  transactionIndex: '0x0',
  logIndex: '0x0',
  removed: false,
  address: token,
  topics: [TRANSFER_TOPIC, ...ends.map((address) => zeroPadValue(address, 32))],
  data: toBeHex(units, 32),
});
