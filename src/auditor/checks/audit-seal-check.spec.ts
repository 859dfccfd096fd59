import { brokenBy } from '../../../test/auditor/tampering.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { query } from '../../../test/support/sql.js';
import { AuditSealer } from '../../audit-log/audit-sealer.service.js';
import { recordAction } from '../../platform/audit-trail.js';
import type { Finding } from '../check.js';

let db: TestDatabase;

/** Five sealed actions and one that waits, with texts that a careless encoding would mix up. */
beforeAll(async () => {
  db = await freshDatabase();
  const sealer = new AuditSealer(db.database);
  for (const subject of ['1:a,-', 'žluťoučký kůň', '"quoted" | \\ \n', '', '€ 🐎']) await act(subject);
  await sealer.seal();
  await act('waits');
});
afterAll(() => db.drop());

const act = (subject: string): Promise<void> =>
  db.database.transaction((tx) =>
    recordAction(tx, {
      actor: 'lee@example.com',
      action: 'endpoint.disable',
      subject,
      reason: 'it fails',
      details: { url: 'https://a.example/"hook"' },
      address: '::1',
      requestId: 'req_1',
      environment: 'sandbox',
      role: 'admin',
      before: { enabled: true, tries: 1.5, name: null },
      after: { enabled: false },
    }),
  );

/** Returns the findings about the audit log after a change with all guards disabled, each as its rule and row. */
async function foundAfter(...statements: readonly string[]): Promise<Record<string, readonly string[]>> {
  const rules = await brokenBy(db.owner, async (tx) => {
    for (const statement of statements) await query(tx, statement);
  });
  const text = ({ row, says }: Finding): string => `${row} ${says}`;
  return Object.fromEntries(
    rules.map(({ name, finding, further }) => [name, [...(finding === null ? [] : [finding]), ...further].map(text)]),
  );
}

it('an untouched audit log holds, whatever its texts contain', async () => {
  expect(await foundAfter()).toEqual({});
});

it('a change of any column of a sealed action is found at its row [M-171]', async () => {
  const columns = await db.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
      where table_name = 'audit_entry' and column_name <> 'id'`,
  );
  expect(columns).toHaveLength(12);
  const other: Readonly<Record<string, string>> = {
    environment: `'live'`,
    role: `'viewer'`,
    jsonb: `'{"enabled": 1}'`,
    'timestamp with time zone': `created_at + interval '1 millisecond'`,
    text: `'other'`,
  };
  for (const { name, type } of columns) {
    const value = other[name] ?? other[type] ?? '';
    expect({ name, found: await foundAfter(`update audit_entry set ${name} = ${value} where id = 3`) }).toEqual({
      name,
      found: { audit_seals_hold: ['audit_entry 3 was changed after it was sealed'] },
    });
  }
});

it.each<[name: string, statements: readonly string[], found: Record<string, readonly string[]>]>([
  [
    'a text that moved from one column to the next',
    [`update audit_entry set subject = subject || '8:it fails', reason = null where id = 1`],
    { audit_seals_hold: ['audit_entry 1 was changed after it was sealed'] },
  ],
  [
    'a removed reason, which is not an empty one',
    [`update audit_entry set reason = '' where id = 2`],
    { audit_seals_hold: ['audit_entry 2 was changed after it was sealed'] },
  ],
  [
    'a removed action',
    [`delete from audit_entry where id = 2`],
    { audit_seals_hold: ['audit_entry 2 was sealed as number 2 and is gone'] },
  ],
  [
    'an action that was removed with its seal',
    [`delete from audit_entry where id = 2`, `delete from audit_seal where entry_id = 2`],
    { audit_seals_hold: ['audit_seal 2 is missing'] },
  ],
  [
    'an action that was inserted past the queue, with a date of the past',
    [
      `insert into audit_entry (actor, action, subject, details, created_at)
       values ('x', 'signing.freeze', 's', '{}', now() - interval '1 year')`,
    ],
    { unsealed_actions_hold: [expect.stringMatching(/^audit_entry \d+ has no seal and does not wait for one$/)] },
  ],
  [
    'an action that took the place of another in the chain',
    [
      `insert into audit_entry (actor, action, subject, details) values ('x', 'signing.freeze', 'forged', '{}')`,
      `update audit_seal set entry_id = forged.id, content_hash = audit_content_hash(forged)
         from audit_entry forged where sequence = 3 and forged.subject = 'forged'`,
    ],
    {
      audit_seals_hold: [expect.stringMatching(/^audit_seal 3 does not follow from the seal before it/)],
      unsealed_actions_hold: ['audit_entry 3 has no seal and does not wait for one'],
    },
  ],
  [
    'two actions that were exchanged',
    [
      `update audit_entry a set actor = b.actor, subject = b.subject, created_at = b.created_at
         from audit_entry b where a.id in (2, 4) and b.id in (2, 4) and a.id <> b.id`,
    ],
    {
      audit_seals_hold: [
        'audit_entry 2 was changed after it was sealed',
        'audit_entry 4 was changed after it was sealed',
      ],
    },
  ],
  [
    'two seals that were exchanged',
    [
      `delete from audit_seal where sequence in (2, 4)`,
      `insert into audit_seal (sequence, entry_id, content_hash, hash)
       select case id when 2 then 4 else 2 end, id, audit_content_hash(entry), repeat('a', 64)
         from audit_entry entry where id in (2, 4)`,
    ],
    {
      audit_seals_hold: [
        'audit_seal 2 does not follow from the seal before it (audit_entry 4)',
        'audit_seal 3 does not follow from the seal before it (audit_entry 3)',
        'audit_seal 4 does not follow from the seal before it (audit_entry 2)',
        'audit_seal 5 does not follow from the seal before it (audit_entry 5)',
      ],
    },
  ],
  [
    'a changed action whose content hash was adapted',
    [
      `update audit_entry set actor = 'other' where id = 3`,
      `update audit_seal set content_hash = audit_content_hash(entry) from audit_entry entry
        where entry.id = 3 and entry_id = 3`,
    ],
    { audit_seals_hold: ['audit_seal 3 does not follow from the seal before it (audit_entry 3)'] },
  ],
  [
    'an action that lost its place in the queue',
    [`delete from unsealed_audit_entry`],
    { unsealed_actions_hold: ['audit_entry 6 has no seal and does not wait for one'] },
  ],
])('%s is found [M-171]', async (_name, statements, found) => {
  expect(await foundAfter(...statements)).toEqual(found);
});
