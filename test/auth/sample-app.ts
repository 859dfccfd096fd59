import { MikroORM } from '@mikro-orm/postgresql';
import { Body, Controller, Get, Global, HttpCode, Injectable, Module, Param, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { z } from 'zod';
import { AccessMigration } from '../../migrations/20261121-01-access.js';
import { RecordAgeMigration } from '../../migrations/20261123-44-record-age.js';
import { MerchantListsMigration } from '../../migrations/20261129-30-merchant-lists.js';
import { ApiKey } from '../../src/auth/api-key.entity.js';
import { ApiKeysService, type NewApiKey } from '../../src/auth/api-keys.service.js';
import { HttpGuardsModule } from '../../src/app/http-guards.module.js';
import { type Caller, CurrentCaller } from '../../src/auth/caller.js';
import { IdempotencyRecord } from '../../src/idempotency/idempotency-record.entity.js';
import { IdempotencyModule } from '../../src/idempotency/idempotency.module.js';
import { AtOnce, BeforeTransaction, KeepsSecret, type NetworkCheck } from '../../src/idempotency/write-options.js';
import { Merchant } from '../../src/auth/merchant.entity.js';
import { MerchantsService } from '../../src/auth/merchants.service.js';
import { RateBucket } from '../../src/auth/rate-bucket.entity.js';
import { Public, RequireScope, type Scope } from '../../src/auth/scopes.js';
import { Transaction } from '../../src/idempotency/write-request.js';
import type { Environment } from '../../src/domain/network.js';
import { configureHttp } from '../../src/http/configure-http.js';
import { createHttpAdapter } from '../../src/http/http-server.js';
import { NoBody } from '../../src/http/no-body.decorator.js';
import { bodyOf } from '../../src/http/request-schema.js';
import { CONFIG, parseConfig } from '../../src/platform/config.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import { ormOptions } from '../../src/platform/database/orm.config.js';
import { DatabaseValues, type PlannedWrite, type WriteParts } from '../../src/platform/sql/planned-write.js';
import { cte } from '../../src/platform/sql/relation.js';
import { sql, type SqlText } from '../../src/platform/sql/sql.js';
import { RUNTIME } from '../../src/platform/runtime.js';
import { SecretBox } from '../../src/platform/secret-box.js';
import { type FreshDatabase, freshDatabase } from '../support/database-url.js';
import { query, queryOne } from '../support/sql.js';
import { SampleServer } from './sample-server.js';

export const SECRETS_KEY = '5a'.repeat(32);

/** Steps that tests insert into a write. */
export interface Interference {
  prepare?: () => Promise<void>;
  effect?: (tx: Tx, note: string) => Promise<void>;
  committed?: () => void;
}

/** Every effect is a row of this table, so that effects can be counted. */
const SAMPLE_TABLE = `create table sample (id serial primary key, merchant_id text, note text, price int default 1,
  created_at timestamptz(3) default now())`;
const CreateSample = bodyOf({ note: z.string() });

async function insertSample(tx: Tx, { merchantId }: Caller, note: string, { effect }: Interference): Promise<object> {
  const row = await queryOne<{ id: number }>(
    tx,
    `insert into sample (merchant_id, note) values ($1, $2) returning id, note, price, clock_timestamp()::text as at`,
    [merchantId, note],
  );
  await effect?.(tx, note);
  return row;
}

/** A sample of one statement. */
function planSample({ merchantId }: Caller, note: string, { committed }: Interference): PlannedWrite {
  const values = new DatabaseValues();
  const now = sql`now()`;
  const presented = { note, created_at: values.time(now).toISOString() };
  const parts = (condition: SqlText): WriteParts => {
    const effect = cte(
      'inserted',
      sql`insert into sample (merchant_id, note, created_at)
          select ${merchantId}, ${note}, ${now} where ${condition} and ${note} <> 'nothing' returning 1`,
    );
    return { steps: [effect], effect };
  };
  return { statement: { parts, waits: false, presented, values }, committed };
}

function sampleModule(db: Database, interference: Interference, variables: Record<string, string>) {
  @Injectable()
  class InterferingCheck implements NetworkCheck {
    async beforeTransaction(): Promise<void> {
      await interference.prepare?.();
    }
  }

  @Controller('v1/samples')
  class SamplesController {
    @Post()
    @RequireScope('payments:write')
    create(
      @Body({ schema: CreateSample }) { note }: z.infer<typeof CreateSample>,
      @CurrentCaller() caller: Caller,
      @Transaction() tx: Tx,
    ) {
      return insertSample(tx, caller, note, interference);
    }

    @Post('at-once')
    @AtOnce(true)
    @RequireScope('payments:write')
    async createAtOnce(
      @Body({ schema: CreateSample }) { note }: z.infer<typeof CreateSample>,
      @CurrentCaller() caller: Caller,
    ) {
      await interference.prepare?.();
      return planSample(caller, note, interference);
    }

    @Post(':id/touch')
    @HttpCode(200)
    @NoBody()
    @RequireScope('payments:write')
    touch(@Param('id') id: string, @CurrentCaller() caller: Caller, @Transaction() tx: Tx) {
      return insertSample(tx, caller, id, interference);
    }

    @Get()
    @RequireScope('read')
    whoAmI(@CurrentCaller() caller: Caller) {
      return caller;
    }
  }

  @Controller('v1')
  class OthersController {
    @Post('secrets')
    @NoBody()
    @KeepsSecret(true)
    @BeforeTransaction(InterferingCheck)
    @RequireScope('webhooks:write')
    async secret(@CurrentCaller() caller: Caller, @Transaction() tx: Tx) {
      return { ...(await insertSample(tx, caller, 'prepared', {})), secret: 'whsec_plain' };
    }

    @Post('withdrawals')
    @NoBody()
    @RequireScope('withdrawals:write')
    async withdraw(@CurrentCaller() caller: Caller, @Transaction() tx: Tx, @Res({ passthrough: true }) res: Response) {
      res.status(202);
      return insertSample(tx, caller, 'wd', interference);
    }
  }

  @Public()
  @Controller('hello')
  class HelloController {
    @Get()
    hello() {
      return { hello: 'anybody' };
    }
  }

  const outside = [
    { provide: Database, useValue: db },
    {
      provide: CONFIG,
      useValue: parseConfig({ DATABASE_URL: 'postgres://localhost/', ROLES: 'api', SECRETS_KEY, ...variables }),
    },
    { provide: RUNTIME, useValue: { baseUrl: () => 'http://localhost' } },
    { provide: SecretBox, useValue: new SecretBox(SECRETS_KEY) },
  ];

  @Global()
  @Module({ providers: outside, exports: outside })
  class OutsideModule {}

  @Module({
    imports: [OutsideModule, HttpGuardsModule, IdempotencyModule],
    controllers: [SamplesController, OthersController, HelloController],
    providers: [InterferingCheck],
  })
  class SampleModule {}
  return SampleModule;
}

/** A database with the tables of `auth`, and the services that fill it. */
export class AuthWorld {
  private readonly servers: SampleServer[] = [];

  private constructor(
    readonly orm: MikroORM,
    readonly db: Database,
    private readonly database: FreshDatabase,
  ) {}

  /** A world with one server of the sample routes, and the key of one merchant. */
  static async served(
    interference: Interference = {},
    poolMax?: number,
  ): Promise<NewApiKey & { readonly world: AuthWorld; readonly server: SampleServer }> {
    const world = await AuthWorld.create(poolMax);
    return { world, server: await world.serve(interference), ...(await world.key()) };
  }

  static async create(poolMax = 20): Promise<AuthWorld> {
    const database = await freshDatabase();
    const orm = await MikroORM.init(
      ormOptions({
        url: database.url,
        poolMax,
        entities: [Merchant, ApiKey, IdempotencyRecord, RateBucket],
        migrations: [
          { name: '20261121-01-access', class: AccessMigration },
          { name: '20261123-44-record-age', class: RecordAgeMigration },
          { name: '20261129-30-merchant-lists', class: MerchantListsMigration },
        ],
      }),
    );
    await orm.migrator.up();
    const db = new Database(orm);
    await query(db, SAMPLE_TABLE);
    return new AuthWorld(orm, db, database);
  }

  merchant({ verified = false } = {}): Promise<string> {
    const merchants = new MerchantsService();
    return this.db.transaction(async (tx) => {
      const { id } = await merchants.createMerchant(tx, { name: 'Shop' });
      if (verified) await merchants.verifyMerchant(tx, id);
      return id;
    });
  }

  /** Creates a key, of a new merchant by default. */
  async key(order: { merchantId?: string; environment?: Environment; scopes?: Scope[] } = {}): Promise<NewApiKey> {
    const environment = order.environment ?? 'sandbox';
    const merchantId = order.merchantId ?? (await this.merchant({ verified: environment === 'live' }));
    const scopes = order.scopes === undefined ? {} : { scopes: order.scopes };
    return this.db.transaction((tx) => new ApiKeysService().createKey(tx, { merchantId, environment, ...scopes }));
  }

  async effects(note: string): Promise<number> {
    const rows = await query(this.db, `select 1 from sample where note = $1`, [note]);
    return rows.length;
  }

  /** Serves the sample routes on this database. Two calls have separate state, like two processes. */
  async serve(interference: Interference = {}, variables: Record<string, string> = {}): Promise<SampleServer> {
    const app = await NestFactory.create<NestExpressApplication>(
      sampleModule(this.db, interference, { RATE_LIMIT_PER_SECOND: '0', ...variables }),
      createHttpAdapter(),
      { bodyParser: false, abortOnError: false, logger: false },
    );
    configureHttp(app, { baseUrl: () => 'https://pay.example', version: '1.0.0', tags: {}, webhooks: {} });
    await app.listen(0, '127.0.0.1');
    const server = new SampleServer(app, await app.getUrl());
    this.servers.push(server);
    return server;
  }

  async close(): Promise<void> {
    await this.closeServers();
    await this.db.close();
    await this.database.drop();
  }

  /** Drops the database without waiting for the pool, which would wait for a connection that died in a transaction. */
  async abandon(): Promise<void> {
    await this.closeServers();
    await this.database.drop();
  }

  private async closeServers(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }
}
