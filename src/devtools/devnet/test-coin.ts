import { coinOf } from '../../chains/networks.js';
import { devAccount } from './dev-accounts.js';
import { askChain, HEX_BIGINT, sendToChain } from './dev-rpc.js';

/** Smallest units of one whole coin; all development chains here have Ethereum's. */
export const ONE_TEST_COIN = 10n ** BigInt(coinOf('ethereum').decimals);
/** The wei that the faucet and the payer get, as many coins as of a test token, again when half is left. */
const FUNDS_WEI = 10n ** 9n * ONE_TEST_COIN;

/** The chain's own coin. */
export interface DevCoin {
  readonly symbol: string;
  readonly decimals: number;
}

/** Ensures that faucet and payer have enough of the chain's own coin, whatever its price. */
export async function provideTestCoins(url: string): Promise<void> {
  for (const role of ['faucet', 'sandboxPayer'] as const) {
    const holder = devAccount(role).address;
    if ((await testCoinBalance(url, holder)) > FUNDS_WEI / 2n) continue;
    await sendToChain(url, 'anvil_setBalance', holder, `0x${FUNDS_WEI.toString(16)}`);
  }
}

/** Creates coins, in wei, and sends them by a transaction, so that they are in a block that becomes final. */
export async function giveTestCoins(url: string, holder: string, amount: bigint): Promise<void> {
  const giver = devAccount('minter').address;
  if ((await testCoinBalance(url, giver)) < 2n * amount) {
    await sendToChain(url, 'anvil_setBalance', giver, `0x${(4n * amount).toString(16)}`);
  }
  await sendToChain(url, 'eth_sendTransactionSync', { from: giver, to: holder, value: `0x${amount.toString(16)}` });
}

/** Returns the balance of an address in wei. */
export async function testCoinBalance(url: string, holder: string): Promise<bigint> {
  return askChain(url, HEX_BIGINT, 'eth_getBalance', holder, 'latest');
}
