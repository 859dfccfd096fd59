import { Injectable } from '@nestjs/common';
import { expiringPayerOf } from '../../chains/registry.js';
import { isEvmNetwork, NATIVE_COIN } from '../../domain/network.js';
import { gasFees } from '../../domain/network-fee.js';
import { TRANSFER_GAS } from '../../domain/transfer-gas.js';
import { Database } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { hotWalletHoldings } from './hot-wallet-holdings.sql.js';

/** Below this number of affordable token payments, operators should fill the wallet. */
const GAS_PAYMENTS_LOW = 10;
/** Counts of affordable token payments end at this number. */
export const GAS_PAYMENTS_SHOWN = 1_000_000;

type HoldingRow = RowOf<typeof hotWalletHoldings>;

/** The balance of a hot wallet in one token, in smallest units; null while no balance was read. */
export interface Holding extends Pick<HoldingRow, 'symbol' | 'contract' | 'decimals'> {
  /** At the newest final block. */
  readonly amount: bigint | null;
  /** The part that no outgoing transaction has promised. */
  readonly spendable: bigint | null;
  /** Expected from open sweeps. */
  readonly coming: bigint;
}

/** A hot wallet as operators see it. */
export interface HotWalletView extends Pick<
  HoldingRow,
  'chainRef' | 'environment' | 'network' | 'address' | 'frozenReason'
> {
  readonly holdings: readonly Holding[];
  /**
   * Number of token payments whose gas it can pay at the newest gas prices, at most `GAS_PAYMENTS_SHOWN`; null while
   * balance or prices are unknown.
   */
  readonly gasPayments: number | null;
  readonly isLowOnGas: boolean;
}

/** Reads the hot wallets of all active chains, for operators and monitors. */
@Injectable()
export class HotWalletReader {
  constructor(private readonly database: Database) {}

  /** Returns them by environment and chain, the native coin last. */
  async all(): Promise<readonly HotWalletView[]> {
    const rows = await this.database.rows(hotWalletHoldings);
    return [...Map.groupBy(rows, (row) => row.chainRef).values()].map((ofChain) => viewOf(ofChain));
  }
}

function viewOf(rows: readonly HoldingRow[]): HotWalletView {
  const [row] = rows;
  if (row === undefined) throw new Error('A hot wallet has no rows.');
  const holdings = rows.map((held) => holdingOf(held));
  const coins = holdings.find(({ contract }) => contract === NATIVE_COIN)?.spendable ?? null;
  const gasPayments = coins === null ? null : gasPaymentsOf(coins, row);
  return {
    chainRef: row.chainRef,
    environment: row.environment,
    network: row.network,
    address: row.address,
    frozenReason: row.frozenReason,
    holdings,
    gasPayments,
    isLowOnGas: gasPayments !== null && gasPayments < GAS_PAYMENTS_LOW,
  };
}

function holdingOf({ symbol, contract, decimals, amount, spendable, coming }: HoldingRow): Holding {
  return {
    symbol,
    contract,
    decimals,
    amount: amount === null ? null : BigInt(amount),
    spendable: spendable === null ? null : BigInt(spendable),
    coming: BigInt(coming),
  };
}

/** Returns how many token payments these coins can pay the gas for; null while no fee allows signing. */
function gasPaymentsOf(coins: bigint, row: HoldingRow): number | null {
  const cost = tokenPaymentCost(row);
  if (cost === null) return null;
  if (coins <= 0n) return 0;
  const count = coins / cost;
  return count < GAS_PAYMENTS_SHOWN ? Number(count) : GAS_PAYMENTS_SHOWN;
}

/** Returns the most that a payment of a token costs now, in smallest units of the coin; null while that is unknown. */
function tokenPaymentCost({ network, contract, details, ...fee }: HoldingRow): bigint | null {
  if (!isEvmNetwork(network)) {
    return details === null ? null : expiringPayerOf(network).expectedCost(contract, 'standard', null, details);
  }
  if (fee.baseFee === null || fee.tipStandard === null || fee.tipFast === null) return null;
  const prices = {
    baseFee: BigInt(fee.baseFee),
    tipStandard: BigInt(fee.tipStandard),
    tipFast: BigInt(fee.tipFast),
  };
  const fees = gasFees(network, prices, 'standard');
  return fees === null ? null : TRANSFER_GAS.token.limit * fees.maxFeePerGas;
}
