import { defineEntity, p } from '@mikro-orm/core';
import type { SweepWaitingReason } from './sweep-waiting.js';

/** Why a contract is missing and needs an operator. */
export const CONTRACT_TROUBLES = {
  no_deployment_proxy: 'The chain has no deterministic deployment proxy, which sweep contracts are deployed with.',
  foreign_code: 'The address of a sweep contract holds other code than ours.',
  deployment_failed: 'The deployment of a sweep contract is final, but the contract does not exist.',
} as const;
export type ContractTrouble = keyof typeof CONTRACT_TROUBLES;

const SweepContractSchema = defineEntity({
  name: 'SweepContract',
  tableName: 'sweep_contract',
  properties: {
    id: p.text().primary(),
    chainRef: p.text(),
    kind: p.text().$type<'delegate' | 'batch'>(),
    address: p.text(),
    waitingReason: p.text().$type<SweepWaitingReason>().strictNullable(),
    trouble: p.text().$type<ContractTrouble>().strictNullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    signedAt: p.datetime(3).strictNullable(),
    readyAt: p.datetime(3).strictNullable(),
    abandonedAt: p.datetime(3).strictNullable(),
  },
});

/** One of the two contracts that sweep to a chain's hot wallet, deployed or not. */
export class SweepContract extends SweepContractSchema.class {}
SweepContractSchema.setClass(SweepContract);
