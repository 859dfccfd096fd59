import type { IncomingMessage } from 'node:http';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { AuditorModule } from './auditor/auditor.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { AuthenticatedRequest } from './auth/caller.js';
import { DepositsModule } from './payments/listener/deposits.module.js';
import { EventsModule } from './events/events.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { HealthModule } from './health/health.module.js';
import { MetricsController } from './health/metrics.controller.js';
import { DocsPagesController } from './http/docs-pages.controller.js';
import { IntentsModule } from './payments/intents/intents.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { NetworksModule } from './offers/networks.module.js';
import { httpLogParams } from './platform/http-log.js';
import { Metrics } from './platform/metrics.js';
import { PlatformModule, type PlatformParts } from './platform/platform.module.js';
import { PricingModule } from './pricing/pricing.module.js';
import { ListenerRole } from './app/roles/listener.role.js';
import { SimulationsDuty } from './app/roles/simulations.duty.js';
import { VaultRole } from './app/roles/vault.role.js';
import { WorkerRole } from './app/roles/worker.role.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { SanctionsModule } from './sanctions/sanctions.module.js';
import { SuspenseModule } from './suspense/suspense.module.js';
import { WalletsModule } from './payments/addresses/wallets.module.js';
import { WithdrawalsModule } from './withdrawals/withdrawals.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The wiring of one process: every feature's services, and the entry points of the roles that it plays. */
@Module({})
export class AppModule {
  static with(parts: PlatformParts): DynamicModule {
    const { config, logger } = parts;
    const roles: Type[] = [
      ...(config.roles.has('worker') ? [WorkerRole, SimulationsDuty] : []),
      ...(config.roles.has('listener') ? [ListenerRole] : []),
      ...(config.roles.has('vault') ? [VaultRole] : []),
    ];
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
        ScheduleModule.forRoot(),
        AuthModule,
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
      providers: roles,
    };
  }
}
