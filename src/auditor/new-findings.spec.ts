import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { aChain, aMerchant } from '../../test/support/factories.js';
import { LogLines } from '../../test/support/log-lines.js';
import { aHotWallet } from '../../test/support/outgoing.js';
import { runtimeServing } from '../../test/support/served-chains.js';
import { query } from '../../test/support/sql.js';
import type { Environment, EvmNetwork } from '../domain/network.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { systemAccount } from '../ledger/system-accounts.js';
import { PocketsService } from '../ledger/pockets.service.js';
import { Sealer } from '../ledger/sealer.service.js';
import type { SqlParameter } from '../platform/sql/sql.js';
import { createLogger } from '../platform/logging.js';
import { Metrics } from '../platform/metrics.js';
import { SigningFreeze } from '../withdrawals/payouts/signing-freeze.service.js';
import { BooksAuditor } from './books-auditor.service.js';
import { checkRules } from './books-verification.js';

const STAFF = { actor: 'alice@vault-1', reason: 'maintenance' };

let db: TestDatabase;
let auditor: BooksAuditor;
let log: LogLines;

beforeEach(async () => {
  db = await freshDatabase();
  log = new LogLines();
  const runtime = { ...runtimeServing([]), databaseUrl: db.url };
  auditor = new BooksAuditor(db.database, new Metrics(), runtime, createLogger('info', { destination: log }));
});
afterEach(() => db.drop());

/** Adds a hot wallet with 100 coins, of which `missing` are missing on the chain. */
async function aWallet(
  network: EvmNetwork,
  { environment = 'sandbox', missing = 0 }: { environment?: Environment; missing?: number } = {},
): Promise<string> {
  const { chainRef } = await aChain(db.database, { network, environment });
  await aHotWallet(db.database, chainRef);
  const [id, asset] = [`top_${environment}_${network}`, `${network}:native` as const];
  await db.database.transaction(async (tx) => {
    await query(
      tx,
      `insert into top_up (id, chain_ref, token_contract, amount, from_height, to_height) values ($1, $2, 'native', 100, -1, 5)`,
      [id, chainRef],
    );
    await query(
      tx,
      `insert into stocktaking (chain_ref, token_contract, height, block_hash, nonce, amount, booked, booked_height,
         booked_nonce, missing) values ($1, 'native', 5, '0x', 0, 100 - $2::int, 100, 5, 0, $2)`,
      [chainRef, missing],
    );
    const legs = [
      { accountId: await systemAccount(tx, 'chain', environment, asset), asset, amount: -100n },
      { accountId: await systemAccount(tx, 'capital', environment, asset), asset, amount: 100n },
    ];
    await new LedgerService().book(tx, { reference: `top_up:${id}`, kind: 'top_up', environment, legs });
  });
  await new Sealer(db.database).seal();
  return chainRef;
}

/** Books and seals entries without deposits, which differ only in their references. */
async function bookAndSeal(...references: string[]): Promise<void> {
  const [chain, tenant] = [await aChain(db.database, { network: 'bnb' }), await aMerchant(db.database)];
  for (const reference of references) {
    await db.database.transaction(async (tx) => {
      const { asset, chainAccountId, availableAccountId } = await new PocketsService().depositAccounts(
        tx,
        tenant,
        chain,
      );
      const legs = [
        { accountId: chainAccountId, asset, amount: -5n },
        { accountId: availableAccountId, asset, amount: 5n },
      ];
      await new LedgerService().book(tx, { reference, kind: 'deposit', environment: 'sandbox', legs });
    });
  }
  await db.query(`update chain set active = false where id = $1`, [chain.chainRef]);
  await new Sealer(db.database).seal();
}

/** Changes rows with all guards disabled. */
const tamper = (statement: string, ...parameters: SqlParameter[]): Promise<void> =>
  db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, parameters);
  });
const lose = (chainRef: string, missing: number, height = 5): Promise<void> =>
  tamper(
    `update stocktaking set missing = $2, amount = booked - $2, height = $3, booked_height = $3 where chain_ref = $1`,
    chainRef,
    missing,
    height,
  );

/** Runs a full audit. */
async function auditEverything(): Promise<void> {
  await tamper(`update books_audit set finished_at = finished_at - interval '25 hours'`);
  await auditor.auditDue();
}

/** Returns the freeze reason of each hot wallet, by environment and network. */
async function frozen(): Promise<Record<string, string | null>> {
  const rows = await db.query<{ place: string; reason: string | null }>(
    `select environment || '/' || network as place, frozen_reason as reason from hot_wallet join chain on id = chain_ref`,
  );
  return Object.fromEntries(rows.map(({ place, reason }) => [place, reason]));
}
/** Unfreezes all hot wallets, as staff do after they have checked a finding. */
const unfreeze = (): Promise<unknown> => db.query(`update hot_wallet set frozen_reason = null`);
const lacking = (chainRef: string): string =>
  `The books do not hold: hot_wallets_lack_nothing, stocktaking ${chainRef}/native.`;

it('a known finding hides neither a larger gap, nor another row, nor an earlier rule', async () => {
  const known = await aWallet('bnb', { missing: 1 });
  const other = await aWallet('polygon');
  await auditEverything();
  expect(await frozen()).toEqual({ 'sandbox/bnb': lacking(known), 'sandbox/polygon': null });
  await unfreeze();
  // The same coins are missing at a later block, which is no new finding.
  await lose(known, 1, 9);
  await auditEverything();
  expect(Object.values(await frozen())).toEqual([null, null]);
  await lose(known, 90);
  await lose(other, 100);
  await auditEverything();
  expect(await frozen()).toEqual({ 'sandbox/bnb': lacking(known), 'sandbox/polygon': lacking(other) });
  expect(log.named('The ledger audit found broken rules.').at(-1)).toMatchObject({
    rule: 'hot_wallets_lack_nothing',
    count: 2,
    froze: true,
  });
  await unfreeze();
  await tamper(
    `insert into deposit_balance (chain_ref, token_contract, address_id, received) values ($1, 'native', 1, 9)`,
    other,
  );
  await auditEverything();
  const [earlier] = Object.values(await frozen());
  expect(earlier).toMatch(/^The books do not hold: deposit_balances_add_up, .* \(and 1 more\)\.$/);
  await unfreeze();
  await tamper(`delete from deposit_balance`);
  await auditEverything();
  expect(Object.values(await frozen())).toEqual([null, null]);
});

it('in new entries too: the walk continues after a bad seal', async () => {
  await aWallet('polygon');
  await auditor.auditDue();
  await bookAndSeal('deposit:one');
  await tamper(
    `update posting set amount = amount * 2 where entry_id = (select id from entry where reference = 'deposit:one')`,
  );
  await auditor.auditDue();
  await unfreeze();
  await auditor.auditDue();
  expect(await frozen()).toEqual({ 'sandbox/polygon': null });
  await bookAndSeal('deposit:two');
  await tamper(
    `update posting set amount = amount * 3 where entry_id = (select id from entry where reference = 'deposit:two')`,
  );
  await auditor.auditDue();
  const [two] = await db.query<{ id: string }>(`select id from entry where reference = 'deposit:two'`);
  expect(await frozen()).toEqual({ 'sandbox/polygon': `The books do not hold: seals_hold, entry ${two?.id}.` });
  // A finding of one scope is not new in the other scope.
  await unfreeze();
  await auditEverything();
  expect((await frozen())['sandbox/polygon']).not.toContain('seals_hold');
});

it('a bad seal is one breach, whichever part was changed, and so is a gap of deleted seals', async () => {
  await bookAndSeal(...Array.from({ length: 30 }, (_, place) => `deposit:${place}`));
  const sequenceOf = async (): Promise<string[]> => {
    const { rules, heads } = await db.database.transaction((tx) => checkRules(tx));
    const [seals] = rules;
    const named = [seals?.finding, ...(seals?.further ?? [])];
    return [
      `head ${heads.entries.sequence}`,
      `${seals?.count} broken`,
      ...named.map((found) => `${found?.row} ${found?.says}`),
    ];
  };
  const entries = await db.query<{ id: string }>(`select entry_id as id from ledger_seal order by sequence`);
  const entry = (sequence: number): string => `entry ${entries[sequence - 1]?.id}`;
  await tamper(`update ledger_seal set hash = repeat('0', 64) where sequence = 4`);
  await tamper(`update posting set amount = amount * 2 where entry_id = $1`, entries[6]?.id ?? '');
  await tamper(`delete from ledger_seal where sequence in (10, 11)`);
  expect(await sequenceOf()).toEqual([
    'head 3',
    '3 broken',
    `ledger_seal 4 does not follow from the seal before it (${entry(4)})`,
    expect.stringMatching(`^${entry(7)} does not say any more`),
    'ledger_seal 10 is missing, and so are those up to 11',
  ]);
  // Breaches beyond the named ones are counted, and one more is a new finding.
  await tamper(
    `update posting set amount = amount * 2 where entry_id > $1 and entry_id < $2`,
    entries[11]?.id ?? '',
    entries[28]?.id ?? '',
  );
  await aWallet('polygon');
  await auditEverything();
  await unfreeze();
  await tamper(`update ledger_seal set hash = repeat('1', 64) where sequence in (29, 30)`);
  expect((await sequenceOf()).slice(0, 2)).toEqual(['head 3', '21 broken']);
  await auditEverything();
  expect(await frozen()).toMatchObject({ 'sandbox/polygon': expect.stringContaining('seals_hold, ') });
});

it('a verified seal that was replaced freezes once: unfrozen wallets stay unfrozen, hour after hour', async () => {
  await aWallet('polygon');
  await bookAndSeal('deposit:one', 'deposit:two');
  await db.query(`insert into books_audit (scope, sealed_to, seal_hash, started_at)
    select 'new_entries', sequence, hash, now() from ledger_seal order by sequence desc limit 1`);
  await tamper(
    `update ledger_seal set hash = repeat('0', 64) where sequence = (select max(sequence) from ledger_seal)`,
  );
  await auditEverything();
  expect((await frozen())['sandbox/polygon']).toContain('seals_hold');
  for (let hour = 0; hour < 2; hour++) {
    await unfreeze();
    await auditEverything();
    expect(await frozen()).toEqual({ 'sandbox/polygon': null });
  }
});

it('a frozen wallet collects every reason once, so that staff see them all when they unfreeze it', async () => {
  await aWallet('polygon');
  await auditor.auditDue();
  const place = { environment: 'sandbox', network: 'polygon' } as const;
  await db.database.transaction((tx) => new SigningFreeze().freezeNetwork(tx, place, STAFF));
  await bookAndSeal('deposit:one');
  await tamper(
    `update posting set amount = amount * 2 where entry_id = (select id from entry where reference = 'deposit:one')`,
  );
  await auditor.auditDue();
  const [one] = await db.query<{ id: string }>(`select id from entry where reference = 'deposit:one'`);
  const both = `maintenance; The books do not hold: seals_hold, entry ${one?.id}.`;
  await db.database.transaction((tx) => new SigningFreeze().freezeNetwork(tx, place, STAFF));
  expect(await frozen()).toEqual({ 'sandbox/polygon': both });
  const lifted = await db.database.transaction((tx) =>
    new SigningFreeze().unfreezeNetwork(tx, place, STAFF, { unknown: [] }),
  );
  expect(lifted).toBe(both);
});

it('freezes by place: missing funds their chain, a row its environment, a broken hash chain everything', async () => {
  const places = [await aWallet('polygon'), await aWallet('ethereum', { environment: 'live' })];
  const short = await aWallet('bnb', { missing: 1 });
  await auditor.auditDue();
  expect(await frozen()).toEqual({ 'sandbox/polygon': null, 'sandbox/bnb': lacking(short), 'live/ethereum': null });
  await unfreeze();
  await tamper(`update stocktaking set nonce = 7, booked_nonce = 7 where chain_ref = $1`, places[1] ?? '');
  await auditEverything();
  const ofLive = `The books do not hold: stocktakings_add_up, stocktaking ${places[1]}/native.`;
  expect(await frozen()).toEqual({ 'sandbox/polygon': null, 'sandbox/bnb': null, 'live/ethereum': ofLive });
  await unfreeze();
  await tamper(`update ledger_seal set hash = repeat('0', 64) where sequence = 3`);
  await auditEverything();
  expect(Object.values(await frozen())).toEqual(Array(3).fill('The books do not hold: seals_hold, ledger_seal 3.'));
});
