import { z } from 'zod';
import { NATIVE_COIN } from '../../../domain/network.js';
import type { WalletShortage } from '../wallet-shortage.js';
import { parseAddress } from './address.js';
import { askNode } from './ask-node.js';
import type { TestToken } from './control/control-calls.js';
import type { TronDevChain } from './tron-dev-chain.js';

/** Fees for a long time: 10,000 TRX. */
const SUN = 10_000_000_000n;
/** Multiple of the missing amount that is given, so that the next payments need not wait. */
const SPARE = 100n;

const ACCOUNT = z.object({ balance: z.number().default(0).transform(BigInt) });
const CALL = z.object({ constant_result: z.array(z.string()).min(1) });

/** Gives a wallet what it lacks, from the faucet, unless it has that already. */
export async function fundTronWallet(
  { controls, rpcUrl, tokens }: TronDevChain,
  { address: owner, token: contract, isTokenMissing, missing }: WalletShortage,
): Promise<void> {
  // A wallet without a token lacks the coins for its fees as well, as a rule.
  const wanted = SUN + (contract === NATIVE_COIN ? SPARE * missing : 0n);
  const coins = await tronCoins(rpcUrl, owner);
  if (coins < wanted / 2n) await controls.fund(owner, null, wanted - coins);
  if (!isTokenMissing) return;
  const symbol = Object.keys(tokens).find((name): name is TestToken => tokens[name]?.address === contract);
  if (symbol === undefined) throw new Error(`The tron development chain has no token ${contract}.`);
  if ((await tronTokens(rpcUrl, contract, owner)) < missing) await controls.fund(owner, symbol, SPARE * missing);
}

/** Returns the sun of an address, with those of pending transactions. */
export async function tronCoins(url: string, address: string): Promise<bigint> {
  return (await askNode(url, ACCOUNT, 'wallet/getaccount', { address, visible: true })).balance;
}

/** Returns the smallest units of a token that an address holds, with those of pending transactions. */
export async function tronTokens(url: string, contract: string, address: string): Promise<bigint> {
  const { constant_result: words } = await askNode(url, CALL, 'wallet/triggerconstantcontract', {
    owner_address: address,
    contract_address: contract,
    function_selector: 'balanceOf(address)',
    parameter: (parseAddress(address) ?? '').slice(2).padStart(64, '0'),
    visible: true,
  });
  return BigInt(`0x${words[0]}`);
}
