import { type CliRun, runCommand } from '../../../test/support/cli-run.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aMerchant } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { checkRules } from '../../auditor/books-verification.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import { Sealer } from '../../ledger/sealer.service.js';

let db: TestDatabase;
/** The head of the hash chain with its only entry. */
let head: string;
let rulesCount: number;

beforeAll(async () => {
  db = await freshDatabase();
  rulesCount = (await db.database.transaction((tx) => checkRules(tx))).rules.length;
});
afterAll(() => db.drop());
const verify = (...args: string[]): Promise<CliRun> => runCommand(['verify', ...args], { DATABASE_URL: db.url });

it('prints that every rule is kept, and the heads of the hash chains', async () => {
  const { code, out, err } = await verify();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(rulesCount + 2);
  expect(lines[0]).toMatch(/^ok +The hash chain over the entries is unbroken/);
  expect(lines.slice(-2)).toEqual([
    `The books hold. Note the head of the hash chain elsewhere: 0:${'0'.repeat(64)}`,
    `The audit log holds too. Note the head of its hash chain as well: 0:${'0'.repeat(64)}`,
  ]);
});

describe('with an entry without a deposit', () => {
  beforeAll(async () => {
    const { database } = db;
    const [chain, tenant] = [await aChain(database), await aMerchant(database)];
    await database.transaction(async (tx) => {
      const accounts = await new PocketsService().depositAccounts(tx, tenant, chain);
      const legs = [
        { accountId: accounts.chainAccountId, asset: accounts.asset, amount: -7n },
        { accountId: accounts.availableAccountId, asset: accounts.asset, amount: 7n },
      ];
      const booking = { reference: 'deposit:dep_none', kind: 'deposit', environment: 'sandbox', legs } as const;
      await new LedgerService().book(tx, booking);
    });
    await new Sealer(database).seal();
    const [seal] = await query<{ hash: string }>(database, `select hash from ledger_seal`);
    head = `1:${seal?.hash}`;
  });

  it('names the rule and the row, and exits 1', async () => {
    const { code, out, err } = await verify();
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The books do not hold. See docs/operations.md, "Proof of the books".\n',
    });
    expect(out).toMatch(
      /\nBROKEN +Every credited deposit is booked with its amount, once, .+\n +deposits_are_booked: entry ent_\w+ should move 0 on account \d+, and entry ent_\w+ \(deposit:dep_none\) moves -?7\. And 1 more: .+\n/,
    );
    expect(out).not.toContain('The books hold');
  });

  it('prints one JSON object per rule, and the result last', async () => {
    const { code, out } = await verify('--json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(code).toBe(1);
    expect(lines).toHaveLength(rulesCount + 1);
    expect(lines.filter(({ finding }) => finding !== null && finding !== undefined)).toMatchObject([
      {
        object: 'rule',
        name: 'deposits_are_booked',
        finding: { row: expect.stringMatching(/^entry ent_/) },
      },
      // No address holds the funds either.
      { object: 'rule', name: 'chain_owes_what_lies_there' },
    ]);
    expect(lines.at(-1)).toEqual({
      object: 'verification',
      clean: false,
      head,
      audit_head: `0:${'0'.repeat(64)}`,
      lost: null,
      audit_lost: null,
      unasked: ['sandbox/polygon: no node is configured for this command.'],
    });
  });
});

describe('a head that was noted before', () => {
  it.each([
    ['is in the chain', () => head, null],
    [
      'is another one now',
      () => `1:${'a'.repeat(64)}`,
      /^ledger_seal 1 is another one now \([0-9a-f]{64}\): the entries up to/,
    ],
    ['lies beyond its end', () => `2:${'a'.repeat(64)}`, /^ledger_seal 2 is gone: entries that were there are missing/],
  ])('%s', async (_name, noted, lost) => {
    const { out } = await verify('--json', '--head', noted());
    const verdict: { lost: { row: string; says: string } | null } = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
    if (lost === null) expect(verdict.lost).toBeNull();
    else expect(`${verdict.lost?.row} ${verdict.lost?.says}`).toMatch(lost);
  });

  it('of the audit log is looked for in that chain [M-171]', async () => {
    const { code, out } = await verify('--audit-head', `1:${'a'.repeat(64)}`);
    expect(code).toBe(1);
    expect(out).toContain('\nBROKEN  --audit-head: audit_seal 1 is gone: actions that were there are missing.\n');
  });

  it.each(['', '1', `0:${'a'.repeat(64)}`, `1:${'g'.repeat(64)}`])('is refused as %j', async (noted) => {
    const { code, err } = await verify('--head', noted);
    expect(code).toBe(2);
    expect(err).toContain('--head must be a number and a hash');
  });
});
