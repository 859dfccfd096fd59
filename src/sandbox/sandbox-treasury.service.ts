import { Inject, Injectable } from '@nestjs/common';
import { isEvmDevChain } from '../devtools/devnet/dev-chain.js';
import { fundSolanaWallet } from '../devtools/devnet/solana/wallet-funding.js';
import { fundTronWallet } from '../devtools/devnet/tron/wallet-funding.js';
import type { EvmDevChain } from '../devtools/devnet/evm-dev-chain.js';
import { giveTestCoins, ONE_TEST_COIN, testCoinBalance } from '../devtools/devnet/test-coin.js';
import { mintTestTokens, testTokenBalance } from '../devtools/devnet/test-token.js';
import type { WalletShortage } from '../devtools/devnet/wallet-shortage.js';
import { NATIVE_COIN } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import type { RowOf } from '../platform/sql/sql.js';
import { findShortages } from './sandbox-shortages.sql.js';

/** Smallest units of a development chain's coin: gas for a long time. */
const COINS = 10n * ONE_TEST_COIN;

/** Multiple of the missing amount that is minted, so that the next withdrawals need not wait. */
const SPARE = 100n;

/**
 * Plays the operator of the development chains: when something waits for funds or gas, the hot wallet receives them, out of
 * nothing or from a faucet. On all other chains a withdrawal waits until the operator fills the wallet.
 */
@Injectable()
export class SandboxTreasury {
  constructor(
    private readonly database: Database,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /**
   * Fills what waiting withdrawals and refunds found missing, and the gas that sweeps wait for. Amounts that are on
   * their way already are not sent twice.
   */
  @RecurringJob({ role: 'worker', every: 1_000, leader: 'scheduler' })
  async topUp(): Promise<void> {
    if (this.runtime.devChains.length === 0) return;
    const rows = await this.database.rows(findShortages);
    for (const row of rows) {
      const chain = this.runtime.devChains.find(({ genesisHash }) => genesisHash === row.genesisHash);
      if (chain === undefined) continue;
      const shortage = { ...row, isTokenMissing: isTokenMissing(row), missing: BigInt(row.amount) };
      if (isEvmDevChain(chain)) await fill(chain, shortage);
      else if (chain.network === 'tron') await fundTronWallet(chain, shortage);
      else await fundSolanaWallet(chain, shortage);
    }
  }
}

/** Whether the token is missing, and not the coin that pays the fee. */
const isTokenMissing = ({ reason, token }: RowOf<typeof findShortages>): boolean =>
  reason === 'coins_missing' && token !== NATIVE_COIN;

async function fill({ rpcUrl }: EvmDevChain, shortage: WalletShortage): Promise<void> {
  const { address, token, isTokenMissing: isToken, missing } = shortage;
  const given = SPARE * missing;
  if (isToken) {
    const balance = await testTokenBalance(rpcUrl, token, address);
    if (balance < missing) await mintTestTokens(rpcUrl, token, address, given);
    return;
  }
  const wanted = COINS + (token === NATIVE_COIN ? given : 0n);
  if ((await testCoinBalance(rpcUrl, address)) < wanted / 2n) await giveTestCoins(rpcUrl, address, wanted);
}
