import { formatUnits } from '../../domain/money.js';
import type { StaffDepositRow } from './staff-deposit.sql.js';

/** The fields of a deposit in every list for staff, over all merchants. */
export interface StaffDeposit extends Omit<StaffDepositRow, 'tokenContract' | 'amount' | 'symbol' | 'decimals'> {
  /** Symbol, or the contract of a token that is not in the books. */
  readonly token: string;
  /** Whole tokens; smallest units for a token that is not in the books. */
  readonly amountDecimal: string;
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
