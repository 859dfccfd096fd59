import type { BenchChain } from './anvil.ts';

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = `0x${TRANSFER}`;
const GAS = '0x30000';

/**
 * A token without balances: calldata of four bytes returns 6 decimals; any other calldata is a list of recipients, one word
 * each, and emits a Transfer of a million smallest units to each. Written by hand, so that it needs no compiler.
 */
const STORM_TOKEN = [
  '0x36600414', // four bytes of calldata: decimals()
  '604957',
  '620f4240600052', // the amount, into memory
  '6000', // i = 0
  '5b', // 0x10: while calldata is longer than i
  '80361115',
  '604757',
  '803533', // recipient from calldata, sender is the caller
  `7f${TRANSFER}`,
  '60206000a3', // log with three topics
  '602001', // i += 32
  '601056',
  '5b00', // 0x47: the end
  '5b600660005260206000f3', // 0x49: return 6
].join('');

/** Puts the token where the catalogue expects it. */
export async function placeStormToken(chain: BenchChain, contract: string): Promise<void> {
  await chain.ask('anvil_setCode', contract, STORM_TOKEN);
}

/** Mines one block per list: a transaction with one transfer to each recipient. */
export async function mineTransfers(
  chain: BenchChain,
  contract: string,
  blocks: readonly (readonly string[])[],
): Promise<void> {
  const [from] = await chain.ask<string[]>('eth_accounts');
  for (const recipients of blocks) {
    const data = `0x${recipients.map((recipient) => recipient.slice(2).padStart(64, '0')).join('')}`;
    await chain.ask('eth_sendTransactionSync', { from, to: contract, data, gas: GAS });
  }
}
