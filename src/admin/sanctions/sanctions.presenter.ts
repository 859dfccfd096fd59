import type { SanctionsImport } from '../../sanctions/sanctions-import.entity.js';
import type { ListStatus } from '../../sanctions/sanctions-list.service.js';
import type { ListedDeposit } from '../../suspense/deposits-without-pocket.service.js';
import { presentAmount, presentTime } from '../amount.js';
import type { SanctionsObject } from './sanctions.schema.js';

export const presentList = (status: ListStatus): SanctionsObject['current'] => ({
  source: status.source,
  published_on: status.publishedOn,
  age_days: status.ageDays,
  is_stale: status.isStale,
  imported_at: presentTime(status.importedAt),
  addresses: { ...status.addresses },
  removed: status.removed,
});

export const presentImport = (list: SanctionsImport): SanctionsObject['imports'][number] => ({
  id: String(list.id),
  source: list.source,
  published_on: list.publishedOn,
  addresses: list.addresses,
  imported_at: presentTime(list.importedAt),
});

export const presentRefusal = (deposit: ListedDeposit): SanctionsObject['refusals'][number] => ({
  id: deposit.id,
  network: deposit.network,
  token: deposit.symbol ?? deposit.tokenContract,
  amount: deposit.decimals === null ? null : presentAmount(BigInt(deposit.amount), deposit.decimals),
  sender: deposit.fromAddress,
  listed_as: deposit.listedName,
  payment_intent_id: deposit.intentId,
  state: deposit.heldAs === null || deposit.heldAs === 'suspense' ? 'released' : deposit.heldAs,
  at: presentTime(deposit.confirmedAt),
});
