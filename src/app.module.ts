import type { IncomingMessage } from 'node:http';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { AdminModule } from './admin/admin.module.js';
import { ConsolePagesHttpModule } from './admin/pages/console-pages-http.module.js';
import { OpenVault } from './app/vault/open-vault.service.js';
import { SigningJobs } from './app/vault/signing.jobs.js';
import { AddressJobs } from './app/vault/address.jobs.js';
import { ChartsModule } from './charts/charts.module.js';
import { AuditLogModule } from './audit-log/audit-log.module.js';
import { AuditorModule } from './auditor/auditor.module.js';
import { HttpGuardsModule } from './app/http-guards.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { AuthenticatedRequest } from './auth/caller.js';
import { ListenerModule } from './payments/listener/listener.module.js';
import { EventsHttpModule } from './events/events-http.module.js';
import { ExplainHttpModule } from './explain/explain-http.module.js';
import { HealthHttpModule } from './health/health-http.module.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { MetricsController } from './health/metrics.controller.js';
import { DocsPagesController } from './docs-pages/docs-pages.controller.js';
import { IntentsHttpModule } from './payments/intents/intents-http.module.js';
import { IntentsModule } from './payments/intents/intents.module.js';
import { SettlementModule } from './payments/intents/settlement.module.js';
import { LedgerHttpModule } from './ledger/ledger-http.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { NetworksHttpModule } from './offers/networks-http.module.js';
import { DeclaredMethods } from './platform/declared-methods.js';
import { httpLogParams } from './platform/http-log.js';
import { Metrics } from './platform/metrics.js';
import { PlatformModule, type PlatformParts } from './platform/platform.module.js';
import { QUEUE_NAMES } from './platform/queue/jobs.js';
import { PROCESSORS } from './platform/queue/processors.js';
import { QueueServer } from './platform/queue/queue-server.service.js';
import { RecurringJobs } from './platform/recurring/recurring-jobs.service.js';
import { PriceSnapshotsModule } from './pricing/price-snapshots.module.js';
import { RequestLogModule } from './request-log/request-log.module.js';
import { SandboxHttpModule } from './sandbox/sandbox-http.module.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { OtherAccountsModule } from './suspense/other-accounts/other-accounts.module.js';
import { ReorgedDepositsModule } from './suspense/reorged-deposits.module.js';
import { SuspenseModule } from './suspense/suspense.module.js';
import { AddressPoolModule } from './payments/addresses/address-pool.module.js';
import { VaultStatusModule } from './vault-status/vault-status.module.js';
import { WithdrawalsHttpModule } from './withdrawals/withdrawals-http.module.js';
import { PayoutsModule } from './withdrawals/payouts/payouts.module.js';
import { WebhooksHttpModule } from './webhooks/webhooks-http.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/**
 * Wires one process: the services of every feature, and the runners for its roles. Methods of services declare recurring
 * jobs and job handlers themselves. Only processes with the vault role have a vault.
 */
@Module({})
export class AppModule {
  static with(parts: PlatformParts): DynamicModule {
    const { config, logger } = parts;
    const processors = QUEUE_NAMES.filter((queue) => config.roles.has(queue)).map((queue) => PROCESSORS[queue]);
    const vault: Type[] = config.roles.has('vault') ? [OpenVault, SigningJobs, AddressJobs] : [];
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
        HttpGuardsModule,
        // In the order of the API's document.
        NetworksHttpModule,
        LedgerHttpModule,
        EventsHttpModule,
        WebhooksHttpModule,
        IntentsHttpModule,
        WithdrawalsHttpModule,
        ExplainHttpModule,
        SandboxHttpModule,
        HealthHttpModule,
        // Before the pages, which answer everything else below /admin.
        AdminModule,
        ConsolePagesHttpModule,
        // What the roles run.
        IdempotencyModule,
        LedgerModule,
        PriceSnapshotsModule,
        VaultStatusModule,
        AddressPoolModule,
        RequestLogModule,
        WebhooksModule,
        IntentsModule,
        SettlementModule,
        ListenerModule,
        PayoutsModule,
        AuditLogModule,
        ChartsModule,
        AuditorModule,
        SuspenseModule,
        ReorgedDepositsModule,
        OtherAccountsModule,
        SandboxModule,
      ],
      controllers: [
        DocsPagesController,
        ...(config.http.metricsPort === null && config.embedded ? [MetricsController] : []),
      ],
      providers: [DeclaredMethods, RecurringJobs, QueueServer, ...processors, ...vault],
    };
  }
}
