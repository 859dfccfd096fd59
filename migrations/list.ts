import type { MigrationObject } from '@mikro-orm/core';
import { AccessMigration } from './20261121-01-access.js';
import { ChainsMigration } from './20261121-02-chains.js';
import { PaymentsMigration } from './20261121-03-payments.js';
import { LedgerMigration } from './20261121-04-ledger.js';
import { WebhooksMigration } from './20261121-05-webhooks.js';

/** Every migration in the order it is applied. A landed migration is never edited: a change is a new one. */
export const MIGRATIONS: MigrationObject[] = [
  { name: '20261121-01-access', class: AccessMigration },
  { name: '20261121-02-chains', class: ChainsMigration },
  { name: '20261121-03-payments', class: PaymentsMigration },
  { name: '20261121-04-ledger', class: LedgerMigration },
  { name: '20261121-05-webhooks', class: WebhooksMigration },
];
