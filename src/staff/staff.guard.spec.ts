import { Controller, Get, Global, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain } from '../../test/support/factories.js';
import { HttpGuardsModule } from '../app/http-guards.module.js';
import { ENVIRONMENTS, type Environment } from '../domain/network.js';
import { configureHttp } from '../http/configure-http.js';
import { createHttpAdapter } from '../http/http-server.js';
import { NoBody } from '../http/no-body.decorator.js';
import { CONFIG, parseConfig } from '../platform/config.js';
import { recordAction } from '../platform/audit-trail.js';
import { Database } from '../platform/database/database.js';
import { RUNTIME } from '../platform/runtime.js';
import { SecretBox } from '../platform/secret-box.js';
import { STAFF_ROLES, type StaffRole } from './permissions.js';
import { newMember } from './staff-accounts.service.js';
import { actorOf, CurrentStaff, RequirePermission, type StaffCaller } from './staff-access.js';
import { StaffSessions } from './staff-sessions.service.js';

const SECRETS_KEY = '5a'.repeat(32);
const BASE_URL = 'http://127.0.0.1:3000';

@Controller('admin/api/:environment/things')
class ThingsController {
  constructor(private readonly database: Database) {}

  @Get()
  @RequirePermission('deliveries.read')
  read(@CurrentStaff() staff: StaffCaller) {
    return { email: staff.email, environment: staff.environment, role: staff.role };
  }

  @Post('act')
  @NoBody()
  @RequirePermission('deliveries.replay')
  async act(@CurrentStaff() staff: StaffCaller) {
    const change = { before: { enabled: true }, after: { enabled: false } };
    const entry = { action: 'endpoint.disable', subject: 'we_1', reason: 'because' } as const;
    await this.database.transaction((tx) => recordAction(tx, { ...actorOf(staff), ...entry, ...change }));
    return {};
  }

  @Post('decide')
  @NoBody()
  @RequirePermission('endpoints.enable')
  decide() {
    return {};
  }
}

let db: TestDatabase;
let app: NestExpressApplication;
let url: string;
beforeAll(async () => {
  db = await freshDatabase();
  const config = parseConfig({ DATABASE_URL: 'postgres://localhost/', ROLES: 'api', SECRETS_KEY, BASE_URL });
  const outside = [
    { provide: Database, useValue: db.database },
    { provide: CONFIG, useValue: config },
    { provide: RUNTIME, useValue: { baseUrl: () => BASE_URL } },
    { provide: SecretBox, useValue: new SecretBox(SECRETS_KEY) },
  ];
  @Global()
  @Module({ providers: outside, exports: outside })
  class OutsideModule {}
  @Module({ imports: [OutsideModule, HttpGuardsModule], controllers: [ThingsController] })
  class SampleModule {}
  app = await NestFactory.create<NestExpressApplication>(SampleModule, createHttpAdapter(), {
    bodyParser: false,
    logger: false,
  });
  configureHttp(app, { baseUrl: () => BASE_URL, version: '1', tags: {}, webhooks: {} });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(async () => {
  await app.close();
  await db.drop();
});

interface Cell {
  readonly environment: Environment | 'staging';
  readonly role: StaffRole;
  readonly isProved: boolean;
}

let members = 0;

/** Calls a route as a member with a role in one environment, and the role admin in the other one. */
async function call(route: string, { environment, role, isProved }: Cell) {
  const member = Object.assign(newMember(`member-${members++}@example.com`), {
    sandboxRole: environment === 'sandbox' ? role : 'admin',
    liveRole: environment === 'live' ? role : 'admin',
  });
  const { token, sessionId } = await db.database.transaction(async (tx) => {
    await tx.persist(member).flush();
    return app.get(StaffSessions, { strict: false }).open(tx, member.id, '127.0.0.1');
  });
  if (!isProved) {
    await db.query(`update staff_session set proved_at = now() - interval '5 minutes 1 second' where id = $1`, [
      sessionId,
    ]);
  }
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(`${url}/admin/api/${environment}${path}`, {
    method,
    headers: { Cookie: `coffer_3000=${token}`, Origin: BASE_URL, 'X-Coffer-Console': '1' },
  });
  const body = (await response.json()) as { error?: { code: string } };
  const audit = await db.query<object>('select * from audit_entry where actor = $1', [member.email]);
  return { status: response.status, code: body.error?.code ?? null, body, audit, member };
}

const LEAST: readonly [route: string, least: StaffRole, stepUp: boolean][] = [
  ['GET /things', 'viewer', false],
  ['POST /things/act', 'support', false],
  ['POST /things/decide', 'admin', true],
];
const CELLS = LEAST.flatMap(([route, least, stepUp]) =>
  ENVIRONMENTS.flatMap((environment) =>
    STAFF_ROLES.flatMap((role) =>
      [true, false].map((isProved) => ({ route, least, stepUp, environment, role, isProved })),
    ),
  ),
);

describe('the guard of the console', () => {
  it.each(CELLS)(
    'decides $route for the role $role in $environment, proved: $isProved [M-168]',
    async ({ route, least, stepUp, ...cell }) => {
      const { status, code, audit, member } = await call(route, cell);
      const isEnough = STAFF_ROLES.indexOf(cell.role) >= STAFF_ROLES.indexOf(least);
      const expected =
        cell.role === 'none'
          ? [404, 'not_found']
          : !isEnough
            ? [403, 'forbidden']
            : stepUp && !cell.isProved
              ? [403, 'step_up_required']
              : [route.startsWith('GET') ? 200 : 201, null];
      expect([status, code]).toEqual(expected);
      if (code === null) return;
      const [method, path] = route.split(' ');
      expect(audit).toMatchObject([
        {
          action: 'request.refuse',
          subject: member.id,
          environment: cell.environment,
          role: cell.role,
          address: '127.0.0.1',
          request_id: expect.stringMatching(/^req_/),
          details: { code, method, path: `/admin/api/${cell.environment}${path}` },
        },
      ]);
    },
  );

  it('tells the handler who acts where, and the audit what they changed', async () => {
    const cell: Cell = { environment: 'live', role: 'support', isProved: false };
    const { body, member } = await call('GET /things', cell);
    expect(body).toEqual({ email: member.email, environment: 'live', role: 'support' });
    const { audit } = await call('POST /things/act', cell);
    expect(audit).toMatchObject([
      {
        action: 'endpoint.disable',
        subject: 'we_1',
        reason: 'because',
        environment: 'live',
        role: 'support',
        address: '127.0.0.1',
        request_id: expect.stringMatching(/^req_/),
        before: { enabled: true },
        after: { enabled: false },
      },
    ]);
  });

  it('does not know an environment that there is none of [M-169]', async () => {
    const { status, code, audit } = await call('GET /things', {
      environment: 'staging',
      role: 'admin',
      isProved: true,
    });
    expect([status, code]).toEqual([404, 'not_found']);
    expect(audit).toMatchObject([{ action: 'request.refuse', environment: null, role: null }]);
  });

  // The last one: from here on, the process knows that there is a live network.
  it('demands a second factor once any process has registered a live chain, without settings of one', async () => {
    const cell: Cell = { environment: 'live', role: 'admin', isProved: true };
    expect(await call('GET /things', cell)).toMatchObject({ status: 200 });
    await aChain(db.database, { environment: 'live' });
    expect(await call('GET /things', cell)).toMatchObject({
      status: 403,
      body: { error: { message: 'Set up an authenticator first: this service has live networks.' } },
    });
  });
});
