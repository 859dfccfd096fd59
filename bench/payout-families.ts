import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { base58, createBase58check } from '@scure/base';
import { place } from './compiled.ts';
import { fillEvmWallet } from './payout-chains.ts';
import type { Stage } from './stage.ts';
import { untilNone } from './until-none.ts';

const { developmentProfile }: typeof import('../src/chains/networks.js') = await import(place('chains/networks.js'));
const { SolanaClient }: typeof import('../src/chains/solana/solana-client.js') = await import(
  place('chains/solana/solana-client.js')
);
const { TronClient }: typeof import('../src/chains/tron/tron-client.js') = await import(
  place('chains/tron/tron-client.js')
);
const { SolanaControls }: typeof import('../src/devtools/devnet/solana/solana-controls.js') = await import(
  place('devtools/devnet/solana/solana-controls.js')
);
const { TronControls }: typeof import('../src/devtools/devnet/tron/control/control-client.js') = await import(
  place('devtools/devnet/tron/control/control-client.js')
);

/** Whole tokens and coins of a hot wallet, enough for all payouts and their fees. */
const TOKENS = 100_000n;
const COINS = 10_000n;
const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const ED25519_KEY_AT = 12;

/** Makes addresses of wallets that hold nothing. */
export const NEW_ADDRESSES: ReadonlyMap<string, () => string> = new Map([
  ['solana', solanaAddress],
  ['tron', () => base58check.encode(Buffer.concat([Buffer.of(0x41), randomBytes(20)]))],
]);

/** A key whose point is on the curve, as wallets have. */
function solanaAddress(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(ED25519_KEY_AT));
}

/** A hot wallet with USDC, before the first payout. */
export interface FundedWallet {
  readonly network: string;
  readonly url: string;
  readonly address: string;
  readonly chain_id: string;
  readonly contract: string;
  readonly decimals: number;
}

/** Funds the hot wallets of all networks, and waits until the service has read their balances. */
export async function fundHotWallets(stage: Stage): Promise<readonly FundedWallet[]> {
  const { chains } = stage.service;
  await untilNone(
    stage,
    `select from chain where active and not exists (select from hot_wallet where chain_ref = chain.id)`,
  );
  const rows = await stage.query<Omit<FundedWallet, 'url'>>(
    `select chain.network, wallet.address, chain.chain_id, token.contract, token.decimals
       from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active
       join chain_token token on token.chain_ref = chain.id and token.symbol = 'USDC'`,
  );
  const wallets = rows.map((row) => ({ ...row, url: chains[row.network] ?? '' }));
  await Promise.all(wallets.map(fund));
  await untilNone(
    stage,
    `select from chain_token token join chain on chain.id = token.chain_ref and chain.active
      where token.symbol = 'USDC' and (
        select count(*) from hot_balance
         where chain_ref = chain.id and token_contract in (token.contract, 'native') and amount > 0) < 2`,
  );
  return wallets;
}

async function fund(wallet: FundedWallet): Promise<void> {
  const { network, url, address, decimals } = wallet;
  const tokens = TOKENS * 10n ** BigInt(decimals);
  if (network === 'solana') {
    const controls = new SolanaControls(url);
    await controls.fund({ owner: address, token: null, amount: (COINS / 100n) * 10n ** 9n });
    await controls.fund({ owner: address, token: 'USDC', amount: tokens });
  } else if (network === 'tron') {
    const controls = new TronControls(url);
    await controls.fund(address, null, COINS * 10n ** 6n);
    await controls.fund(address, 'USDC', tokens);
  } else {
    await fillEvmWallet(url, wallet);
  }
}

/** Returns what the hot wallet of a chain whose transactions expire holds of USDC; null for another chain. */
export async function heldUsdc(wallet: FundedWallet): Promise<bigint | null> {
  const { network, url, address, chain_id: chainId, contract } = wallet;
  if (network !== 'solana' && network !== 'tron') return null;
  const profile = developmentProfile({ network, chainId, contracts: { USDC: contract } });
  const options = { profile, rpcUrl: url };
  const client = network === 'solana' ? new SolanaClient(options) : new TronClient(options);
  try {
    return (await client.finalBalancesOf(address, [contract], 0)).units[0] ?? 0n;
  } finally {
    await client.close();
  }
}
