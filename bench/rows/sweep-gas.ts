import { type Authorization, id, type TransactionLike, Wallet } from 'ethers';
import { type BenchChain, startChain } from '../anvil.ts';
import { place } from '../compiled.ts';
import type { Figure } from '../report.ts';

const CHAIN_ID = 31_337;
const VALUE = 5_000_000n;
const GWEI = 10n ** 9n;
const FEES = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI };
const GAS_LIMIT = 2n ** 24n;
const RICH = `0x${(10n ** 24n).toString(16)}`;
/** The gas per deposit of the first measured EIP-7702 batch; a sweep may use 5 % more. */
const PLANS = [
  { deposits: 1, first: 63_145n, later: 51_631n },
  { deposits: 50, first: 31_385n, later: 13_385n },
];

interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly logs: readonly unknown[];
}

/** Measures the gas per swept deposit, for one and for 50, for the first sweep with delegations and for a later one. */
export async function measureSweepGas(): Promise<Figure[]> {
  const chain = await startChain(CHAIN_ID);
  try {
    const stage = await setSweepStage(chain);
    const figures: Figure[] = [];
    for (const { deposits, first, later } of PLANS) {
      const keys = Array.from({ length: deposits }, (_, n) => new Wallet(id(`deposit ${n} of ${deposits}`)));
      figures.push(figureOf(`sweep of ${deposits}, first`, await stage.sweep(keys, 'first'), first));
      figures.push(figureOf(`sweep of ${deposits}, later`, await stage.sweep(keys, 'later'), later));
    }
    return figures;
  } finally {
    await chain.stop();
  }
}

function figureOf(name: string, gas: bigint, plan: bigint): Figure {
  const limit = (plan * 105n) / 100n;
  return { name, measured: `${gas} gas per deposit`, limit: `<= ${limit} (${plan} + 5 %)`, isMet: gas <= limit };
}

type Turn = 'first' | 'later';

/** A treasury that holds some of the token already, as a hot wallet does, with its two contracts. */
async function setSweepStage(
  chain: BenchChain,
): Promise<{ sweep: (keys: readonly Wallet[], turn: Turn) => Promise<bigint> }> {
  const calls: typeof import('../../src/chains/evm/sweep-call.js') = await import(place('chains/evm/sweep-call.js'));
  const contracts: typeof import('../../src/chains/evm/sweep-contracts.js') = await import(
    place('chains/evm/sweep-contracts.js')
  );
  const { token, mint } = await testToken(chain);
  const treasury = new Wallet(id('treasury'));
  const { delegate, batch } = contracts.sweepContracts(treasury.address);
  await chain.ask('anvil_setBalance', treasury.address, RICH);
  await mint(treasury.address);
  let nonce = 0;
  for (const contract of [delegate, batch]) await send(chain, treasury, contracts.deploymentCall(contract), nonce++);
  return {
    sweep: async (keys, turn) => {
      for (const { address } of keys) await mint(address);
      const request = { chainId: CHAIN_ID, address: delegate.address, nonce: 0 };
      const authorizations: Authorization[] = turn === 'first' ? keys.map((key) => key.authorizeSync(request)) : [];
      const items = keys.map(({ address }) => ({ deposit: address, tokenContract: token }));
      const call = { to: batch.address, data: calls.sweepCalldata(items), gasLimit: GAS_LIMIT };
      const delegating = authorizations.length > 0 ? { type: 4, authorizationList: authorizations } : {};
      const { gasUsed, logs } = await send(chain, treasury, { ...call, ...delegating }, nonce++);
      if (logs.length !== keys.length) throw new Error(`${logs.length} of ${keys.length} deposits were swept.`);
      return BigInt(gasUsed) / BigInt(keys.length);
    },
  };
}

async function send(chain: BenchChain, sender: Wallet, fields: TransactionLike, nonce: number): Promise<Receipt> {
  const raw = await sender.signTransaction({ chainId: CHAIN_ID, type: 2, ...FEES, ...fields, nonce });
  const receipt = await chain.ask<Receipt>('eth_sendRawTransactionSync', raw);
  if (receipt.status !== '0x1') throw new Error('A transaction of the treasury failed.');
  return receipt;
}

/** A token of the development chains, and how it reaches an address. */
async function testToken(chain: BenchChain): Promise<{ token: string; mint: (holder: string) => Promise<void> }> {
  const tokens: typeof import('../../src/devtools/devnet/test-token.js') = await import(
    place('devtools/devnet/test-token.js')
  );
  const accounts: typeof import('../../src/devtools/devnet/dev-accounts.js') = await import(
    place('devtools/devnet/dev-accounts.js')
  );
  const plan = { contract: 'TestToken', symbol: 'USDC', name: 'USD Coin (test)', decimals: 6 } as const;
  const provided = await tokens.provideTestTokens(chain.url, 'ethereum', [plan]);
  const token = provided['USDC']?.address;
  if (token === undefined) throw new Error('No test token was deployed.');
  const from = accounts.devAccount('minter').address;
  return {
    token,
    mint: async (holder) => {
      const data = tokens.TEST_TOKEN.encodeFunctionData('mint', [holder, VALUE]);
      await chain.ask('eth_sendTransactionSync', { from, to: token, data, gas: '0x30000' });
    },
  };
}
