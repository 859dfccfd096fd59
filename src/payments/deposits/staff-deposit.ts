import { formatUnits } from '../../domain/money.js';
import type { Environment, Network } from '../../domain/network.js';
import type { StaffDepositRow } from './staff-deposit.sql.js';

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
