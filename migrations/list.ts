import type { MigrationObject } from '@mikro-orm/core';
import { AccessMigration } from './20261121-01-access.js';
import { ChainsMigration } from './20261121-02-chains.js';
import { PaymentsMigration } from './20261121-03-payments.js';
import { LedgerMigration } from './20261121-04-ledger.js';
import { WebhooksMigration } from './20261121-05-webhooks.js';
import { NativeDepositsMigration } from './20261121-06-native-deposits.js';
import { SecondNodeMigration } from './20261121-09-second-node.js';
import { UnattributedMigration } from './20261121-10-unattributed.js';
import { HeldDeliveriesMigration } from './20261121-12-held-deliveries.js';
import { NativeRoundMigration } from './20261121-13-native-round.js';
import { ClaimWalksMigration } from './20261121-14-claim-walks.js';
import { WithdrawalsMigration } from './20261121-15-withdrawals.js';
import { SanctionsMigration } from './20261121-16-sanctions.js';
import { FeeRoundsMigration } from './20261121-17-fee-rounds.js';
import { WithdrawalListsMigration } from './20261121-19-withdrawal-lists.js';
import { OperatorsMigration } from './20261121-20-operators.js';
import { LedgerSealsMigration } from './20261121-21-ledger-seals.js';
import { DueTimesMigration } from './20261121-24-due-times.js';
import { SweepsMigration } from './20261121-25-sweeps.js';
import { SuspenseMigration } from './20261121-26-suspense.js';
import { AdoptionMigration } from './20261121-27-adoption.js';

/** Every migration in the order it is applied. A landed migration is never edited: a change is a new one. */
export const MIGRATIONS: MigrationObject[] = [
  { name: '20261121-01-access', class: AccessMigration },
  { name: '20261121-02-chains', class: ChainsMigration },
  { name: '20261121-03-payments', class: PaymentsMigration },
  { name: '20261121-04-ledger', class: LedgerMigration },
  { name: '20261121-05-webhooks', class: WebhooksMigration },
  { name: '20261121-06-native-deposits', class: NativeDepositsMigration },
  { name: '20261121-09-second-node', class: SecondNodeMigration },
  { name: '20261121-10-unattributed', class: UnattributedMigration },
  { name: '20261121-12-held-deliveries', class: HeldDeliveriesMigration },
  { name: '20261121-13-native-round', class: NativeRoundMigration },
  { name: '20261121-14-claim-walks', class: ClaimWalksMigration },
  { name: '20261121-15-withdrawals', class: WithdrawalsMigration },
  { name: '20261121-16-sanctions', class: SanctionsMigration },
  { name: '20261121-17-fee-rounds', class: FeeRoundsMigration },
  { name: '20261121-19-withdrawal-lists', class: WithdrawalListsMigration },
  { name: '20261121-20-operators', class: OperatorsMigration },
  { name: '20261121-21-ledger-seals', class: LedgerSealsMigration },
  { name: '20261121-24-due-times', class: DueTimesMigration },
  { name: '20261121-25-sweeps', class: SweepsMigration },
  { name: '20261121-26-suspense', class: SuspenseMigration },
  { name: '20261121-27-adoption', class: AdoptionMigration },
];
