import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash, type Options } from '@node-rs/argon2';
import { TOTP } from 'otpauth';
import { startService } from '../../src/app/start/service.js';
import type { Environment } from '../../src/domain/network.js';
import { parseConfig } from '../../src/platform/config.js';
import { Database } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { SecretBox } from '../../src/platform/secret-box.js';
import type { StaffRole } from '../../src/staff/permissions.js';
import { newMember } from '../../src/staff/staff-accounts.service.js';
import { totpPlaceOf } from '../../src/staff/totp-place.js';
import { newTotpSecret } from '../../src/staff/totp.js';
import { createDatabase, migratedTemplate } from '../support/database-url.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { ConsoleClient } from './console-client.js';

/** The password of every member that a test adds. */
export const PASSWORD = 'correct horse battery staple';

/** A service with the api role alone: the console, its database, and no chain. */
export interface ConsoleService extends Pick<World, 'service' | 'database' | 'databaseUrl' | 'url'> {
  stop(): Promise<void>;
}

/** A member of staff whom a test added. */
export interface Member {
  readonly id: string;
  readonly email: string;
  /** The secret of the authenticator; null without one. */
  readonly secret: string | null;
}

/** Starts the service. With `live`, a live network is configured; nothing asks its node. */
export async function startConsole({
  live = false,
  env = {},
}: { readonly live?: boolean; readonly env?: Readonly<Record<string, string>> } = {}): Promise<ConsoleService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-console-'));
  const { url: databaseUrl, drop } = await createDatabase(migratedTemplate());
  const nobody = 'http://127.0.0.1:9';
  const config = parseConfig({
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ROLES: 'api',
    SANDBOX_BNB_RPC_URL: nobody,
    ...(live && { LIVE_BNB_RPC_URL: nobody }),
    SECRETS_KEY: '5e'.repeat(32),
    PRICE_SOURCES: 'none',
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const started = await startService(config, createLogger(config.logLevel));
  let stopping: Promise<void> | undefined;
  // A test may have stopped it before, to look at what it leaves.
  const service = { ...started, stop: () => (stopping ??= started.stop()) };
  return {
    service,
    database: service.get(Database),
    databaseUrl,
    url: `http://127.0.0.1:${service.port}`,
    stop: async () => {
      await service.stop();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Checked within a millisecond: a hash names its own cost. */
const QUICK: Options = { memoryCost: 8, timeCost: 1, parallelism: 1 };
let passwordHash: Promise<string> | undefined;

/** Adds a member with `PASSWORD`, and an authenticator with `totp`. */
export async function addMember(
  { service, database }: Pick<ConsoleService, 'service' | 'database'>,
  email: string,
  roles: Readonly<Partial<Record<Environment, StaffRole>>>,
  { totp = false }: { readonly totp?: boolean } = {},
): Promise<Member> {
  passwordHash ??= hash(PASSWORD, QUICK);
  const [member, secret] = [newMember(email), totp ? newTotpSecret() : null];
  const sealed = secret === null ? null : service.get(SecretBox).seal(totpPlaceOf(member.id), secret);
  Object.assign(member, {
    passwordHash: await passwordHash,
    passwordSetAt: new Date(),
    sandboxRole: roles.sandbox ?? 'none',
    liveRole: roles.live ?? 'none',
    totpSecret: sealed,
  });
  await database.transaction((tx) => tx.persist(member).flush());
  return { id: member.id, email, secret };
}

/** The present code of an authenticator, or one `shift` periods later. */
export function codeOf({ secret }: Pick<Member, 'secret'>, shift = 0): string {
  if (secret === null) throw new Error('This member has no authenticator.');
  return new TOTP({ secret }).generate({ timestamp: Date.now() + shift * 30_000 });
}

/** Signs a member in. @throws Error when that fails */
export async function signedIn({ url }: Pick<ConsoleService, 'url'>, member: Member): Promise<ConsoleClient> {
  const client = new ConsoleClient(url);
  const proof = member.secret === null ? {} : { code: codeOf(member) };
  const { status, body } = await client.signIn(member.email, PASSWORD, proof);
  if (status !== 200) throw new Error(`The sign-in answered ${status}: ${JSON.stringify(body)}`);
  return client;
}

/** Lets the proof of identity of all sessions grow older than five minutes. */
export async function outdateProofs({ database }: Pick<ConsoleService, 'database'>): Promise<void> {
  await query(database, `update staff_session set proved_at = now() - interval '5 minutes 1 second'`);
}

/** Forgets all failed sign-ins. */
export async function forgetFailures({ database }: Pick<ConsoleService, 'database'>): Promise<void> {
  await query(database, 'delete from sign_in_failure');
}

/** An entry of the audit, as the columns are. */
export interface AuditRow {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, string>>;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly environment: string | null;
  readonly role: string | null;
}

/** The entries of the audit with one author, oldest first. */
export const auditOf = ({ database }: Pick<ConsoleService, 'database'>, actor: string): Promise<AuditRow[]> =>
  query<AuditRow>(database, 'select * from audit_entry where actor = $1 order by id', [actor]);
