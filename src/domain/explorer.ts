/** The pages of an explorer, to be opened by people. */
export interface ExplorerPages {
  readonly transaction: string;
  readonly address: string;
}

interface Explorer {
  readonly base: string;
  readonly transaction: string;
  readonly address: string;
  /** Names the chain, where one site shows several. */
  readonly query?: string;
}

const etherscan = (base: string): Explorer => ({ base, transaction: '/tx/', address: '/address/' });
const tronscan = (base: string): Explorer => ({ base, transaction: '/#/transaction/', address: '/#/address/' });
const solana = (cluster: string | null): Explorer => ({
  ...etherscan('https://explorer.solana.com'),
  ...(cluster !== null && { query: `?cluster=${cluster}` }),
});

/** The explorers of public chains by their ids: numbers on EVM networks, elsewhere the hash of the first block. */
const EXPLORERS: ReadonlyMap<string, Explorer> = new Map([
  ['1', etherscan('https://etherscan.io')],
  ['11155111', etherscan('https://sepolia.etherscan.io')],
  ['137', etherscan('https://polygonscan.com')],
  ['80002', etherscan('https://amoy.polygonscan.com')],
  ['56', etherscan('https://bscscan.com')],
  ['97', etherscan('https://testnet.bscscan.com')],
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', solana(null)],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', solana('devnet')],
  ['4uhcVJyU9pJkvQyUS88uRDiswHXSCkY3zQawwpjk2NsY', solana('testnet')],
  ['00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc', tronscan('https://tronscan.org')],
  ['0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc', tronscan('https://nile.tronscan.org')],
]);

/**
 * Returns where the pages of a chain's explorer begin: a hash or an address follows, then `suffix`. Null for development
 * chains, which have none.
 */
export function explorerOf(chainId: string): (ExplorerPages & { readonly suffix: string }) | null {
  const explorer = EXPLORERS.get(chainId);
  if (explorer === undefined) return null;
  const { base, transaction, address, query = '' } = explorer;
  return { transaction: base + transaction, address: base + address, suffix: query };
}
