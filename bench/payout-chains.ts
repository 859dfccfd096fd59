import { askNode } from './anvil.ts';
import { place } from './compiled.ts';
import type { Stage } from './stage.ts';
import { untilNone } from './until-none.ts';

export const BLOCK_SECONDS = 1;
/** Smallest units of the coin, enough gas for all payouts. */
const COINS = 1_000n * 10n ** 18n;
/** Whole tokens. */
const TOKENS = 1_000_000n;

/** A development chain that makes a block a second, with a hot wallet that can pay. */
export interface PayoutChain {
  readonly url: string;
  readonly hotWallet: string;
  /** Blocks required on top of a payment's block. */
  readonly confirmations: number;
  /** The newest block before the first order. */
  readonly height: number;
}

/** The mined transactions of a chain's hot wallet. */
export interface MinedPayouts {
  readonly transactions: number;
  /** The least number of blocks for that much gas. */
  readonly blocks: number;
}

interface Block {
  readonly gasLimit: string;
  readonly gasUsed: string;
  readonly transactions: readonly { readonly from: string }[];
}

interface Wallet {
  readonly network: string;
  readonly address: string;
  readonly confirmations: number;
  readonly contract: string;
  readonly decimals: number;
}

/** Makes every chain of the stage mine at an interval, and funds its hot wallet. */
export async function preparePayoutChains(stage: Stage): Promise<PayoutChain[]> {
  const { chains } = stage.service;
  for (const url of Object.values(chains)) await askNode(url, 'evm_setIntervalMining', BLOCK_SECONDS);
  await untilNone(
    stage,
    `select from chain where active and not exists (select from hot_wallet where chain_ref = chain.id)`,
  );
  const wallets = await stage.query<Wallet>(
    `select chain.network, wallet.address, chain.confirmations, token.contract, token.decimals
       from hot_wallet wallet join chain on chain.id = wallet.chain_ref and chain.active
       join chain_token token on token.chain_ref = chain.id and token.symbol = 'USDC'`,
  );
  await Promise.all(wallets.map((wallet) => fillEvmWallet(chains[wallet.network] ?? '', wallet)));
  await untilNone(
    stage,
    `select from chain_token token join chain on chain.id = token.chain_ref and chain.active
      where token.symbol = 'USDC' and (
        select count(*) from hot_balance
         where chain_ref = chain.id and token_contract in (token.contract, 'native') and amount > 0) < 2`,
  );
  return Promise.all(
    wallets.map(async ({ network, address, confirmations }) => {
      const url = chains[network] ?? '';
      const height = Number(await askNode<string>(url, 'eth_blockNumber'));
      return { url, hotWallet: address.toLowerCase(), confirmations, height };
    }),
  );
}

/** Gives coins and test tokens to a wallet of a chain of Ethereum's kind. */
export async function fillEvmWallet(
  url: string,
  { address, contract, decimals }: Pick<Wallet, 'address' | 'contract' | 'decimals'>,
): Promise<void> {
  const coins: typeof import('../src/devtools/devnet/test-coin.js') = await import(
    place('devtools/devnet/test-coin.js')
  );
  const tokens: typeof import('../src/devtools/devnet/test-token.js') = await import(
    place('devtools/devnet/test-token.js')
  );
  await tokens.mintTestTokens(url, contract, address, TOKENS * 10n ** BigInt(decimals));
  await coins.giveTestCoins(url, address, COINS);
}

/** Reads every block since the first order, because the chain decides, not our rows. */
export async function minedPayouts({ url, hotWallet, height }: PayoutChain): Promise<MinedPayouts> {
  const head = Number(await askNode<string>(url, 'eth_blockNumber'));
  let transactions = 0;
  let gas = 0n;
  let gasLimit = 1n;
  for (let number = height + 1; number <= head; number++) {
    const block = await askNode<Block>(url, 'eth_getBlockByNumber', `0x${number.toString(16)}`, true);
    transactions += block.transactions.filter(({ from }) => from.toLowerCase() === hotWallet).length;
    gas += BigInt(block.gasUsed);
    gasLimit = BigInt(block.gasLimit);
  }
  return { transactions, blocks: Number((gas + gasLimit - 1n) / gasLimit) };
}
