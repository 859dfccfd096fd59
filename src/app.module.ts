import type { IncomingMessage } from 'node:http';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { OpenVault } from './app/vault/open-vault.service.js';
import { SigningJobs } from './app/vault/signing.jobs.js';
import { WalletJobs } from './app/vault/wallet.jobs.js';
import { AuditorModule } from './auditor/auditor.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { AuthenticatedRequest } from './auth/caller.js';
import { DepositsModule } from './payments/listener/deposits.module.js';
import { EventsModule } from './events/events.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { HealthModule } from './health/health.module.js';
import { MetricsController } from './health/metrics.controller.js';
import { DocsPagesController } from './http/docs-pages.controller.js';
import { IntentsModule } from './payments/intents/intents.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { NetworksModule } from './offers/networks.module.js';
import { DeclaredMethods } from './platform/declared-methods.js';
import { httpLogParams } from './platform/http-log.js';
import { Metrics } from './platform/metrics.js';
import { PlatformModule, type PlatformParts } from './platform/platform.module.js';
import { QueueServer } from './platform/queue/queue-server.service.js';
import { RecurringJobs } from './platform/recurring/recurring-jobs.service.js';
import { PricingModule } from './pricing/pricing.module.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { SanctionsModule } from './sanctions/sanctions.module.js';
import { SuspenseModule } from './suspense/suspense.module.js';
import { WalletsModule } from './payments/addresses/wallets.module.js';
import { WithdrawalsModule } from './withdrawals/withdrawals.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/**
 * Wires one process: the services of every feature, and the runners for its roles. Methods of services declare recurring
 * jobs and job handlers themselves. Only processes with the vault role have a vault.
 */
@Module({})
export class AppModule {
  static with(parts: PlatformParts): DynamicModule {
    const { config, logger } = parts;
    const vault: Type[] = config.roles.has('vault') ? [OpenVault, SigningJobs, WalletJobs] : [];
    return {
      module: AppModule,
      imports: [
        PlatformModule.with(parts),
        LoggerModule.forRootAsync({
          inject: [Metrics],
          useFactory: (metrics: Metrics) =>
            httpLogParams({
              logger,
              merchantIdOf: (req: IncomingMessage & Pick<AuthenticatedRequest, 'caller'>) => req.caller?.merchantId,
              onAnswered: (request) => metrics.http.answered(request),
            }),
        }),
        DiscoveryModule,
        ScheduleModule.forRoot(),
        AuthModule,
        IdempotencyModule,
        NetworksModule,
        LedgerModule,
        PricingModule,
        SanctionsModule,
        WalletsModule,
        EventsModule,
        WebhooksModule,
        IntentsModule,
        DepositsModule,
        WithdrawalsModule,
        AuditorModule,
        SuspenseModule,
        ExplainModule,
        SandboxModule,
        HealthModule,
      ],
      controllers: [
        DocsPagesController,
        ...(config.http.metricsPort === null && config.embedded ? [MetricsController] : []),
      ],
      providers: [DeclaredMethods, RecurringJobs, QueueServer, ...vault],
    };
  }
}
