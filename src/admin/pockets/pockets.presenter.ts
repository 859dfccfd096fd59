import type { BooksProof } from '../../auditor/books-proof.service.js';
import { formatUnits } from '../../domain/money.js';
import type { StaffPocket } from '../../ledger/staff-pockets.service.js';
import type { StaffPocketDetailObject, StaffPocketObject } from './pockets.schema.js';

/** A pocket with its balances in smallest units and as decimals. */
export function presentStaffPocket(pocket: StaffPocket): StaffPocketObject {
  const amountOf = (digits: string) => ({ units: digits, decimal: formatUnits(BigInt(digits), pocket.tokenDecimals) });
  return {
    id: pocket.id,
    object: 'pocket',
    environment: pocket.environment,
    merchant_id: pocket.merchantId,
    merchant_name: pocket.merchantName,
    network: pocket.network,
    token: pocket.token,
    token_decimals: pocket.tokenDecimals,
    available: amountOf(pocket.available),
    held: amountOf(pocket.held),
    pending: amountOf(pocket.pending),
    created_at: new Date(pocket.createdAt).toISOString(),
  };
}

export const presentProof = (proof: BooksProof): StaffPocketDetailObject['proofs'][number] => ({
  scope: proof.scope,
  finished_at: proof.finishedAt.toISOString(),
  broken_rules: [...proof.brokenRules],
  about_this_pocket: [...proof.about],
});
