import { defineEntity, p } from '@mikro-orm/core';
import type { SweepWaitingReason } from './sweep-waiting.js';

/** Why a contract is not there, and will not be before staff have looked. */
export const CONTRACT_TROUBLES = {
  no_deployment_proxy: 'The chain lacks the deterministic deployment proxy, by which sweep contracts are deployed.',
  foreign_code: 'Other code than ours lies at the address of a sweep contract.',
  deployment_failed: 'The transaction that was to deploy a sweep contract is final, and the contract is not there.',
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

/** One of the two contracts that sweep to a chain's hot wallet, whether it is on the chain yet or not. */
export class SweepContract extends SweepContractSchema.class {}
SweepContractSchema.setClass(SweepContract);
