import { formatUnits } from '../../domain/money.js';
import type { Environment, Network } from '../../domain/network.js';

/** The fields of a deposit in every list for staff, over all merchants. */
export interface StaffDeposit {
  readonly id: string;
  readonly environment: Environment;
  readonly network: Network;
  /** Symbol, or the contract of a token that is not in the books. */
  readonly token: string;
  /** Whole tokens; smallest units for a token that is not in the books. */
  readonly amountDecimal: string;
  readonly address: string;
  /** Null when a chain's own coin arrived inside of a contract. */
  readonly txHash: string | null;
  /** The intent of the address; null when it was not assigned. */
  readonly intentId: string | null;
  readonly merchantId: string | null;
}

/** The columns of a `StaffDeposit`. */
export interface StaffDepositRow extends Omit<StaffDeposit, 'token' | 'amountDecimal'> {
  readonly tokenContract: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly amount: string;
}

export function staffDepositOf(row: StaffDepositRow): StaffDeposit {
  return {
    id: row.id,
    environment: row.environment,
    network: row.network,
    token: row.symbol ?? row.tokenContract,
    amountDecimal: formatUnits(BigInt(row.amount), row.decimals ?? 0),
    address: row.address,
    txHash: row.txHash,
    intentId: row.intentId,
    merchantId: row.merchantId,
  };
}
