import { ENVIRONMENTS, type Environment } from '../../src/domain/network.js';
import { isAtLeast, PERMISSIONS, STAFF_ROLES, type StaffRole } from '../../src/staff/permissions.js';
import { StaffSessions } from '../../src/staff/staff-sessions.service.js';
import { query } from '../support/sql.js';
import { EXAMPLES, type Setting } from './admin-operations.js';
import { ConsoleClient } from './console-client.js';
import {
  addMember,
  type ConsoleService,
  forgetFailures,
  type Member,
  outdateProofs,
  startConsole,
} from './console-service.js';

/** One operation of the console's document. */
interface Operation {
  readonly id: string;
  readonly method: string;
  /** After `/admin/api`, with `{name}` for its parameters. */
  readonly path: string;
  readonly isPublic: boolean;
  /** Null for operations that need a session alone. */
  readonly permission: { readonly name: string; readonly role: StaffRole; readonly step_up: boolean } | null;
}

/** The parts of the console's document that the matrix reads. */
interface ConsoleDocument {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly security?: readonly unknown[];
            readonly 'x-permission'?: Operation['permission'];
          }
        >
      >
    >
  >;
}

let service: ConsoleService;
let operations: readonly Operation[];
beforeAll(async () => {
  service = await startConsole({ live: true, env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  const document: ConsoleDocument = JSON.parse(await (await fetch(`${service.url}/admin/api/openapi.json`)).text());
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: path.replace('/admin/api', ''),
      isPublic: operation.security?.length === 0,
      permission: operation['x-permission'] ?? null,
    })),
  );
});
afterAll(() => service.stop());

let members = 0;

/** A member with this role in one environment, and in the other one with the role that is farthest from it. */
async function settingOf(environment: Environment, role: StaffRole): Promise<Setting> {
  const other: StaffRole = role === 'admin' ? 'none' : 'admin';
  const roles = { sandbox: other, live: other, [environment]: role };
  const member = await addMember(service, `${role}-${members++}@example.com`, roles, { totp: true });
  return { service, environment, member, client: await browserOf(member) };
}

const readers = new Map<string, Promise<Setting>>();

/** Reading changes neither member nor session: one member of a role reads everything. */
function settingFor({ method }: Operation, environment: Environment, role: StaffRole): Promise<Setting> {
  if (method !== 'GET') return settingOf(environment, role);
  const reader = readers.get(`${environment} ${role}`) ?? settingOf(environment, role);
  readers.set(`${environment} ${role}`, reader);
  return reader;
}

/** A browser with an open session, without the time that a sign-in takes. */
async function browserOf({ id }: Member): Promise<ConsoleClient> {
  const client = new ConsoleClient(service.url);
  const sessions = service.service.get(StaffSessions);
  const { token } = await service.database.transaction((tx) => sessions.open(tx, id, '127.0.0.1'));
  client.cookie = `coffer_${new URL(service.url).port}=${token}`;
  return client;
}

/** Calls an operation as its example says. Returns the status, and the code of an error. */
async function call({ id, method, path }: Operation, setting: Setting, client: ConsoleClient = setting.client) {
  const example = await EXAMPLES[id]?.(setting);
  if (example === undefined) throw new Error(`${id} has no row among the examples.`);
  const values: Readonly<Record<string, string>> = { environment: setting.environment, ...example.path };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(values[name] ?? `{${name}}`),
  );
  const before = await entries();
  const { status, body } = await client.call(method, filled + (example.query ?? ''), {
    ...(example.body !== undefined && { body: example.body }),
  });
  const code: unknown = body['error']?.code ?? null;
  return { answer: [status, code], added: (await entries()) - before, expected: example };
}

async function entries(): Promise<number> {
  const [row] = await query<{ count: number }>(service.database, 'select count(*)::int as count from audit_entry');
  return row?.count ?? 0;
}

/** The answer that the table of permissions asks for; null for success. */
function refusalOf({ permission }: Operation, role: StaffRole, isProved: boolean): unknown[] | null {
  if (permission === null) return null;
  if (role === 'none') return [404, 'not_found'];
  if (!isAtLeast(role, permission.role)) return [403, 'forbidden'];
  return permission.step_up && !isProved ? [403, 'step_up_required'] : null;
}

const place = ({ method, path }: Operation, ...cell: readonly string[]): string => [method, path, ...cell].join(' ');

describe('every operation of the console', () => {
  it('has an example, and every example an operation', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  });

  it('of an environment needs a permission of the table', () => {
    const inEnvironment = operations.filter(({ path }) => path.startsWith('/{environment}/'));
    expect(inEnvironment.filter(({ permission }) => permission === null)).toEqual([]);
    for (const { permission } of inEnvironment) {
      const { role, stepUp } = PERMISSIONS[permission?.name as keyof typeof PERMISSIONS];
      expect(permission).toMatchObject({ role, step_up: stepUp });
    }
    expect(
      operations.filter(
        ({ path }) => !path.startsWith('/{environment}/') && !/^\/(session|invitations|stream)\b/.test(path),
      ),
    ).toEqual([]);
  });

  it('is refused without a session, but for the sign-in and invitations', async () => {
    for (const environment of ENVIRONMENTS) {
      const setting = await settingOf(environment, 'admin');
      for (const operation of operations.filter(({ isPublic }) => !isPublic)) {
        const { answer } = await call(operation, setting, new ConsoleClient(service.url));
        expect([place(operation), answer]).toEqual([place(operation), [401, 'unauthorized']]);
      }
    }
  });

  it.each(ENVIRONMENTS)(
    'in %s succeeds for each role that may, and is refused to each that may not [M-168]',
    async (environment) => {
      for (const operation of operations) {
        for (const role of STAFF_ROLES) {
          await forgetFailures(service);
          const cell = place(operation, environment, role);
          const { answer, added, expected } = await call(operation, await settingFor(operation, environment, role));
          const refusal = refusalOf(operation, role, true);
          expect([cell, answer]).toEqual([cell, refusal ?? [expected.status ?? 200, expected.code ?? null]]);
          // Refusals leave an entry, and so does every write.
          const isWrite = operation.method !== 'GET' && expected.readsOnly !== true;
          if (refusal !== null) expect([cell, added]).toEqual([cell, 1]);
          else if (isWrite) expect([cell, added > 0]).toEqual([cell, true]);
        }
      }
    },
  );

  it.each(ENVIRONMENTS)(
    'in %s that is dangerous needs a proof of identity within five minutes [M-168]',
    async (environment) => {
      for (const operation of operations.filter(({ permission }) => permission?.step_up === true)) {
        for (const role of STAFF_ROLES) {
          const setting = await settingOf(environment, role);
          await outdateProofs(service);
          const { answer } = await call(operation, setting);
          const cell = place(operation, environment, role);
          expect([cell, answer]).toEqual([cell, refusalOf(operation, role, false)]);
        }
      }
    },
  );

  it('of an unknown environment does not exist, as that of one without a role [M-169]', async () => {
    const setting = await settingOf('sandbox', 'admin');
    for (const operation of operations.filter(({ permission }) => permission !== null)) {
      const unknown = { ...operation, path: operation.path.replace('{environment}', 'staging') };
      expect([place(unknown), (await call(unknown, setting)).answer]).toEqual([place(unknown), [404, 'not_found']]);
    }
  });

  it('takes no API key, and the API of merchants takes no session', async () => {
    const { client } = await settingOf('sandbox', 'admin');
    const bearer = { Authorization: 'Bearer sk_sb_0000000000000000000000000000000000000000000000' };
    const asMerchant = await new ConsoleClient(service.url).get('/session', { headers: bearer });
    expect(asMerchant.status).toBe(401);
    const asStaff = await fetch(`${service.url}/v1/payment-intents`, { headers: { Cookie: client.cookie } });
    expect(asStaff.status).toBe(401);
  });
});
