import { HDNodeWallet, Mnemonic } from 'ethers';
import { z } from 'zod';
import type { EvmDevChain } from '../../src/devtools/devnet/evm-dev-chain.js';
import type { TestTransfer } from '../../src/devtools/devnet/test-transfer.js';
import { place } from '../../bench/compiled.ts';
import type { PlacedIntent } from './merchant.ts';
import type { MonthSandbox, NetworkFile } from './month-sandbox.ts';

const { signTestTransfer, broadcastTransfer, nextNonce }: typeof import('../../src/devtools/devnet/test-transfer.js') =
  await import(place('devtools/devnet/test-transfer.js'));
const { devAccount }: typeof import('../../src/devtools/devnet/dev-accounts.js') = await import(
  place('devtools/devnet/dev-accounts.js')
);
const { DEV_MNEMONIC }: typeof import('../../src/devtools/devnet/dev-mnemonic.js') = await import(
  place('devtools/devnet/dev-mnemonic.js')
);

/** The service uses the accounts before it. */
const LISTED_INDEX = 8;

/** A customer who pays from a wallet that the sanctions list names. Its key is one of anvil's, which every chain gives coins. */
export const LISTED_PAYER = accountAt(LISTED_INDEX);

/** Pays an address of an EVM chain from a wallet that is unknown to the service. Returns the hash of the transaction. */
export async function payFromWallet(sandbox: MonthSandbox, network: string, transfer: TestTransfer): Promise<string> {
  const file = sandbox.networks[network];
  if (file === undefined) throw new Error(`The sandbox has no ${network}.`);
  const chain = chainOf(network, file);
  const { address } = transfer.from ?? chain.faucet;
  const signed = await signTestTransfer(chain, transfer, await nextNonce(chain, address));
  await broadcastTransfer(chain, signed);
  return signed.txHash;
}

/** A share of what an intent asks for, in thousandths, as the decimal text that the sandbox takes. */
export function shareOf({ crypto_amount: units, token_decimals: decimals }: PlacedIntent, thousandths: number): string {
  const amount = (BigInt(units ?? '0') * BigInt(thousandths)) / 1_000n;
  const digits = amount.toString().padStart((decimals ?? 0) + 1, '0');
  const whole = digits.slice(0, digits.length - (decimals ?? 0));
  return decimals === 0 || decimals === null ? whole : `${whole}.${digits.slice(-decimals)}`;
}

function accountAt(index: number): { readonly address: string; readonly privateKey: string } {
  const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(DEV_MNEMONIC), "m/44'/60'/0'/0");
  const { address, privateKey } = root.deriveChild(index);
  return { address: address.toLowerCase(), privateKey };
}

function chainOf(network: string, { rpc_url: rpcUrl, chain_id: chainId, tokens }: NetworkFile): EvmDevChain {
  const known = Object.entries(tokens).flatMap(([symbol, { address }]) =>
    address === null ? [] : [[symbol, { address, decimals: 0 }] as const],
  );
  return {
    network: z.enum(['ethereum', 'polygon', 'bnb']).parse(network),
    rpcUrl,
    wsUrl: rpcUrl.replace(/^http/, 'ws'),
    chainId: z.number().parse(chainId),
    genesisHash: '',
    coin: { symbol: '', decimals: 18 },
    tokens: Object.fromEntries(known),
    faucet: devAccount('faucet'),
    sandboxPayer: devAccount('sandboxPayer'),
    origin: 'adopted',
    pausedFor: (work) => work(),
    stop: () => Promise.resolve(),
  };
}
