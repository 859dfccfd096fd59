import { Inject, Injectable } from '@nestjs/common';
import type { DevChain } from '../devtools/devnet/dev-chain.js';
import { giveTestCoins, testCoinBalance } from '../devtools/devnet/test-coin.js';
import { mintTestTokens, testTokenBalance } from '../devtools/devnet/test-token.js';
import { NATIVE_COIN, WEI_PER_COIN } from '../domain/network.js';
import { Database } from '../platform/database/database.js';
import { RUNTIME, type Runtime } from '../platform/runtime.js';
import { RecurringJob } from '../platform/recurring/recurring-job.js';
import { UNSIGNED_PAYMENTS } from '../treasury/transactions/payment-tables.sql.js';

/** Smallest units of a development chain's coin: gas for a long time. */
const COINS = 10n * WEI_PER_COIN;

/** Multiple of the missing amount that is minted, so that the next withdrawals need not wait. */
const SPARE = 100n;

interface ShortRow {
  genesis_hash: string;
  address: string;
  token_contract: string;
  reason: 'coins_missing' | 'gas_missing';
  amount: string;
}

/**
 * Plays the operator of the development chains: when something waits for funds or gas, the hot wallet receives them,
 * out of nothing. On all other chains a withdrawal waits until the operator fills the wallet.
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
    const rows = await this.database.query<ShortRow>(
      `select chain.genesis_hash, wallet.address, token_contract, waiting_reason as reason, sum(amount) as amount
         from ${UNSIGNED_PAYMENTS} payment join hot_wallet wallet on wallet.chain_ref = payment.chain_ref
         join chain on chain.id = payment.chain_ref
        where waiting_reason in ('coins_missing', 'gas_missing')
        group by chain.genesis_hash, wallet.address, token_contract, waiting_reason
       union all
       select distinct chain.genesis_hash, wallet.address, $1, 'gas_missing', 0
         from (select chain_ref from sweep where finished_at is null and waiting_reason = 'gas_missing'
               union all
               select chain_ref from sweep_contract
                where ready_at is null and abandoned_at is null and waiting_reason = 'gas_missing') waiting
         join hot_wallet wallet on wallet.chain_ref = waiting.chain_ref
         join chain on chain.id = waiting.chain_ref`,
      [NATIVE_COIN],
    );
    for (const row of rows) {
      const chain = this.runtime.devChains.find(({ genesisHash }) => genesisHash === row.genesis_hash);
      if (chain !== undefined) await fill(chain, row);
    }
  }
}

async function fill({ rpcUrl }: DevChain, { address, token_contract: token, reason, amount }: ShortRow): Promise<void> {
  const given = SPARE * BigInt(amount);
  if (reason === 'coins_missing' && token !== NATIVE_COIN) {
    const balance = await testTokenBalance(rpcUrl, token, address);
    if (balance < BigInt(amount)) await mintTestTokens(rpcUrl, token, address, given);
    return;
  }
  const wanted = COINS + (token === NATIVE_COIN ? given : 0n);
  if ((await testCoinBalance(rpcUrl, address)) < wanted / 2n) await giveTestCoins(rpcUrl, address, wanted);
}
