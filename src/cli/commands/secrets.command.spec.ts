import { runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aMerchant } from '../../../test/support/factories.js';
import { SecretBox } from '../../platform/secret-box.js';
import { EndpointSecrets } from '../../webhooks/endpoints/endpoint-secrets.js';

const [OLD, NEW] = ['0a'.repeat(32), '0b'.repeat(32)];

let db: TestDatabase;
beforeEach(async () => (db = await freshDatabase()));
afterEach(() => db.drop());

const reseal = (keys: Record<string, string>) => runCommand(['secrets', 'reseal'], { DATABASE_URL: db.url, ...keys });

/** Endpoints, every second one with a previous secret too. Returns their secrets by id. */
async function endpoints(merchantId: string, count: number): Promise<ReadonlyMap<string, string>> {
  const secrets = new EndpointSecrets(new SecretBox(OLD));
  const issued = new Map<string, string>();
  for (let n = 0; n < count; n++) {
    const { secret, sealed } = secrets.issue(`we_${n}`);
    issued.set(`we_${n}`, secret);
    await db.query(
      `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, previous_secret,
         previous_secret_expires_at, created_at, updated_at)
       values ($1, $2, 'sandbox', 'https://example.com', '{*}', $3, $4, case when $5 then now() end, now(), now())`,
      [`we_${n}`, merchantId, sealed, n % 2 === 0 ? sealed : null, n % 2 === 0],
    );
  }
  return issued;
}

// In the order of the keys, k-9 comes after more answers than one statement reads.
it('encrypts endpoint secrets and stored answers with the current key, and leaves those that are up to date [L-157]', async () => {
  const tenant = await aMerchant(db.database);
  const issued = await endpoints(tenant.merchantId, 3);
  const key = [tenant.merchantId, 'sandbox', 'POST', '/v1/webhook-endpoints', 'k-9'];
  const place = { purpose: 'idempotent-answer', rowId: key.join('\0') } as const;
  await db.query(
    `insert into idempotency_record
       (merchant_id, environment, method, path, idempotency_key, fingerprint, request_id, status, body, encrypted)
     select $1, 'sandbox', 'POST', '/v1/webhook-endpoints', key, '', '', 201, body, encrypted
       from (select 'k-' || n as key, case n when 9 then $2::bytea else '{}' end as body, n = 9 as encrypted
               from generate_series(1, 6000) as n) as kept`,
    [tenant.merchantId, new SecretBox(OLD).seal(place, '{"secret":1}')],
  );

  expect(await reseal({ SECRETS_KEY: NEW })).toMatchObject({ code: 1, err: expect.stringContaining('What to try') });
  const both = { SECRETS_KEY: NEW, PREVIOUS_SECRETS_KEY: OLD };
  expect(await reseal(both)).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/endpoints +3 +0 +0 +0\n/) });
  const alone = await reseal({ SECRETS_KEY: NEW });
  expect(alone).toMatchObject({ code: 0, out: expect.stringMatching(/answers +0 +1 +0 +0\nSECRETS_KEY alone opens/) });

  const rows = await db.query<{ id: string; secret: Buffer; previous_secret: Buffer | null }>(
    `select id, secret, previous_secret from webhook_endpoint order by id`,
  );
  const opened = new EndpointSecrets(new SecretBox(NEW));
  expect(rows.map(({ id, secret }) => [id, opened.open(id, secret)])).toEqual([...issued]);
  expect(rows.map(({ id, previous_secret: old }) => (old === null ? null : opened.open(id, old)))).toEqual([
    issued.get('we_0'),
    null,
    issued.get('we_2'),
  ]);
  const [answer] = await db.query<{ body: Buffer }>(`select body from idempotency_record where encrypted`);
  expect(new SecretBox(NEW).open(place, answer?.body ?? Buffer.alloc(0)).toString()).toBe('{"secret":1}');
});

it('needs the current key', async () => {
  expect(await reseal({})).toMatchObject({ code: 2, err: expect.stringContaining('SECRETS_KEY is not set') });
});

it('encrypts the authenticators of staff, also those that are not confirmed yet', async () => {
  const old = new SecretBox(OLD);
  const place = (id: string) => ({ purpose: 'totp-secret', rowId: id }) as const;
  for (const [id, columns] of [
    ['stf_1', { confirmed: 'A', pending: null }],
    ['stf_2', { confirmed: null, pending: 'B' }],
    ['stf_3', { confirmed: 'C', pending: 'D' }],
    ['stf_4', { confirmed: null, pending: null }],
  ] as const) {
    const { confirmed, pending } = columns;
    await db.query(
      `insert into staff (id, email, sandbox_role, live_role, totp_secret, pending_totp_secret, created_at)
       values ($1, $1, 'viewer', 'none', $2, $3, now())`,
      [id, confirmed && old.seal(place(id), confirmed), pending && old.seal(place(id), pending)],
    );
  }
  const both = { SECRETS_KEY: NEW, PREVIOUS_SECRETS_KEY: OLD };
  expect(await reseal(both)).toMatchObject({ code: 0, out: expect.stringMatching(/authenticators +3 +0 +0 +0\n/) });
  const rows = await db.query<{ id: string; totp_secret: Buffer | null; pending_totp_secret: Buffer | null }>(
    'select id, totp_secret, pending_totp_secret from staff order by id',
  );
  const box = new SecretBox(NEW);
  const opened = (id: string, sealed: Buffer | null) => sealed && box.open(place(id), sealed).toString();
  expect(rows.map((row) => [opened(row.id, row.totp_secret), opened(row.id, row.pending_totp_secret)])).toEqual([
    ['A', null],
    [null, 'B'],
    ['C', 'D'],
    [null, null],
  ]);
});
