import { readFileSync } from 'node:fs';
import { getCreateAddress, Interface } from 'ethers';
import { z } from 'zod';
import type { EvmNetwork } from '../../domain/network.js';
import { devAccount, devDeployer } from './dev-accounts.js';
import type { DevTokenPlan } from './dev-networks.js';
import { askChain, HEX_BIGINT } from './dev-rpc.js';
import { evmKey } from '../../domain/evm-address.js';

const ARTIFACT = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: z.string().regex(/^0x[0-9a-f]+$/),
});

const ARTIFACTS = { TestToken: artifactOf('TestToken'), TestTether: artifactOf('TestTether') } as const;

/** Encodes calls of every test token and decodes their results, except those of transfers, which differ between tokens. */
export const TEST_TOKEN = new Interface(JSON.stringify(ARTIFACTS.TestToken.abi));

const DEPLOY_GAS = '0x300000';
const MINT_GAS = '0x30000';
/** The whole tokens that the faucet and the payer get, again when half is left. */
const FUNDS = 1_000_000_000n;

const RECEIPT = z.object({ status: z.literal('0x1'), contractAddress: z.string().nullable() });

/** A test token on its chain. */
export interface DevToken {
  /** Lower case. */
  readonly address: string;
  readonly decimals: number;
}

/**
 * Ensures that the planned tokens of a network are on its chain and that faucet and payer have enough of them. Returns the
 * tokens by symbol. Each step checks the chain first, so an interrupted start is completed.
 */
export async function provideTestTokens(
  url: string,
  network: EvmNetwork,
  plans: readonly DevTokenPlan[],
): Promise<Readonly<Record<string, DevToken>>> {
  const tokens: Record<string, DevToken> = {};
  // In the order of the plan: the deployer's nonces, and so the addresses, depend on it.
  for (const [nonce, plan] of plans.entries()) {
    const address = await provideToken(url, devDeployer(network).address, nonce, plan);
    await provideFunds(url, address, plan.decimals);
    tokens[plan.symbol] = { address, decimals: plan.decimals };
  }
  return tokens;
}

/** Returns the balance of an address in smallest units. */
export async function testTokenBalance(url: string, token: string, holder: string): Promise<bigint> {
  const data = TEST_TOKEN.encodeFunctionData('balanceOf', [holder]);
  return askChain(url, HEX_BIGINT, 'eth_call', { to: token, data }, 'latest');
}

/** Mints tokens, in smallest units; resolves when they are in a block. */
export async function mintTestTokens(url: string, token: string, holder: string, amount: bigint): Promise<void> {
  const data = TEST_TOKEN.encodeFunctionData('mint', [holder, amount]);
  await send(url, { from: devAccount('minter').address, to: token, data, gas: MINT_GAS });
}

async function provideToken(url: string, deployer: string, nonce: number, plan: DevTokenPlan): Promise<string> {
  const address = evmKey(getCreateAddress({ from: deployer, nonce }));
  if ((await askChain(url, z.string(), 'eth_getCode', address, 'latest')) !== '0x') return address;
  const owner = devAccount('minter').address;
  const constructorCall = TEST_TOKEN.encodeDeploy([plan.name, plan.symbol, plan.decimals, owner]);
  const data = `${ARTIFACTS[plan.contract].bytecode}${constructorCall.slice(2)}`;
  const { contractAddress } = await send(url, {
    from: deployer,
    nonce: `0x${nonce.toString(16)}`,
    data,
    gas: DEPLOY_GAS,
  });
  if (evmKey(contractAddress ?? '') !== address) {
    throw new Error(`${plan.symbol} was deployed at ${contractAddress} instead of ${address}.`);
  }
  return address;
}

async function provideFunds(url: string, token: string, decimals: number): Promise<void> {
  const funds = FUNDS * 10n ** BigInt(decimals);
  for (const role of ['faucet', 'sandboxPayer', 'rival'] as const) {
    const holder = devAccount(role).address;
    if ((await testTokenBalance(url, token, holder)) > funds / 2n) continue;
    await mintTestTokens(url, token, holder, funds);
  }
}

function artifactOf(contract: DevTokenPlan['contract']): z.infer<typeof ARTIFACT> {
  return ARTIFACT.parse(JSON.parse(readFileSync(new URL(`./contracts/${contract}.json`, import.meta.url), 'utf8')));
}

/** Sends a transaction that the chain signs for its development accounts. Resolves when it is mined. */
async function send(url: string, transaction: Readonly<Record<string, string>>): Promise<z.infer<typeof RECEIPT>> {
  return askChain(url, RECEIPT, 'eth_sendTransactionSync', transaction);
}
