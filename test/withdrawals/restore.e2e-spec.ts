import { Wallet } from 'ethers';
import { Database } from '../../src/platform/database/database.js';
import type { RunningService } from '../../src/start/service.js';
import type { WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import { expectNamed } from '../auditor/tampering.js';
import { untilRead } from '../chain/watching.js';
import { ApiClient } from '../support/api-client.js';
import { BNB_FINALITY } from '../support/bnb-testnet.js';
import { expectBooksInOrder } from '../support/books.js';
import { type CliRun, runCommand } from '../support/cli-run.js';
import { ownersDatabase } from '../support/database.js';
import { createDatabase, type OwnedDatabase } from '../support/database-url.js';
import { eventually } from '../support/eventually.js';
import { COIN, PayoutLab } from './payout-lab.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from './payouts.js';
import { sweepsOf } from './sweeps.js';
import { pocketOn, withdraw } from './withdrawals.js';

const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;
const POCKET_UNITS = 10_000n * COIN;
/** Nobody but the spec lets the wallet sign before the backup is taken. */
const HELD_BACK = 'a backup is taken';
/** A payment, two sweep contracts and a sweep. */
const FORGOTTEN = 4;

let lab: PayoutLab;
let backup: OwnedDatabase;
let paid: WithdrawalObject;
/** What the hot wallet sent after the backup, by nonce: what a block explorer shows. */
let hashes: string[];
let service: RunningService;
let database: Database;

const live = (databaseUrl: string): Promise<RunningService> =>
  lab.startRival({
    roles: 'api,listener,worker,vault',
    databaseUrl,
    // The prices of the first service are stale by the time of the last order.
    env: { SWEEP_FEE_SHARE_BPS: '100', PRICE_SOURCES: 'fixed' },
  });

/** Mines on once a second, as a chain does, and lets the service with these books read, so that everything becomes final, until this holds. */
const whileFinal = <T>(books: Database, condition: () => Promise<T | null | false>): Promise<NonNullable<T>> =>
  eventually(async () => {
    await lab.testnet.controls.mine(BNB_FINALITY + 1);
    await untilRead({ database: books }, lab.testnet);
    return eventually(async () => (await condition()) || null, MINE_EVERY_MS);
  }, WITHIN_MS);

const coffer = (...args: string[]): Promise<CliRun> =>
  runCommand(args, {
    DATABASE_URL: backup.url,
    DATA_DIR: lab.world.dataDir,
    SANDBOX_BNB_RPC_URL: lab.testnet.url,
  });
const adopt = (hash: string): Promise<CliRun> =>
  coffer('treasury', 'adopt', hash, '--network', 'bnb', '--reason', 'restored');
const unfreeze = (): Promise<CliRun> =>
  coffer('withdrawals', 'unfreeze', '--network', 'bnb', '--env', 'sandbox', '--reason', 'all is known');
const frozenReason = async (): Promise<string | null> => {
  const [row] = await database.query<{ frozen_reason: string | null }>(
    `select frozen_reason from hot_wallet where address = $1`,
    [lab.hotWallet],
  );
  return row?.frozen_reason ?? null;
};

/** The first life: a withdrawal is ordered, the backup is taken, then the withdrawal is paid and the deposit is swept. */
beforeAll(async () => {
  lab = await PayoutLab.open();
  await lab.world.database.query(`update hot_wallet set frozen_reason = $1`, [HELD_BACK]);
  await lab.fillHotWallet({ coins: 10n * COIN, usdc: 100n * COIN });
  paid = await lab.order(Wallet.createRandom().address);
  await lab.waits(paid.id, 'wallet_frozen');
  await lab.world.service.stop();
  backup = await createDatabase(new URL(lab.world.databaseUrl).pathname.slice(1));

  const first = await live(lab.world.databaseUrl);
  const books = first.get(Database);
  await books.query(`update hot_wallet set frozen_reason = null`);
  hashes = await whileFinal(books, async () => {
    const rows = await books.query<{ mined_hash: string | null }>(
      `select mined_hash from chain_transaction order by nonce`,
    );
    const ended = rows.flatMap(({ mined_hash: hash }) => hash ?? []);
    return ended.length === FORGOTTEN ? ended : null;
  });
  expect(await lab.sentByHotWallet()).toBe(FORGOTTEN);
  await first.stop();

  service = await live(backup.url);
  database = service.get(Database);
  await database.query(`update hot_wallet set frozen_reason = null where frozen_reason = $1`, [HELD_BACK]);
}, 120_000);

afterAll(async () => {
  await service.stop();
  await backup.drop();
  await lab.close();
});

describe('after a restore of a database that has forgotten a payment and a sweep [H-106] [I-113]', () => {
  it('nothing is signed: the vault asks the chain first, and freezes the wallet', async () => {
    const reason = await eventually(frozenReason, WITHIN_MS);
    expect(reason).toBe(`The chain counts ${FORGOTTEN} transactions of the hot wallet, and 0 are known here.`);
    expect(await database.query(`select from chain_transaction`)).toEqual([]);
    expect(await lab.sentByHotWallet()).toBe(FORGOTTEN);
  });

  it('the wallet stays frozen and the money held while anything is unknown, and the operator is told what', async () => {
    expect(await unfreeze()).toMatchObject({
      code: 1,
      err: expect.stringContaining('that are not known here, with the nonces 0, 1, 2, 3. Adopt them first'),
    });
    const cancelled = await coffer('withdrawals', 'cancel', paid.id, '--reason', 'it waits so long');
    expect(cancelled).toMatchObject({ code: 1, err: expect.stringContaining('one of them may have paid it') });
    const { code, out } = await coffer('treasury', 'unknown', '--network', 'bnb');
    expect(code).toBe(1);
    expect(out).toContain(`Hot wallet ${lab.hotWallet}: the next nonce here is 0.`);
    expect(out.match(/^\d +final +unknown$/gm)).toHaveLength(FORGOTTEN);
    expect(out).toMatch(new RegExp(`${paid.id} +20.* +10 USDC +${paid.destination}`));
  });

  it('each is taken in by its hash, in the order of the nonces, once', async () => {
    const [first = '', second = ''] = hashes;
    const early = await adopt(second);
    expect(early.err).toContain('Its nonce is 1. The transaction with nonce 0 comes first.');
    for (const [nonce, hash] of hashes.entries()) {
      const { code, out, err } = await adopt(hash);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(new RegExp(`^ADOPTED: nonce ${nonce}, ctx_\\w+, for (withdrawal|contract|sweep) `));
    }
    expect(await adopt(first)).toMatchObject({ code: 0, out: expect.stringContaining('in the books already') });
    expect((await coffer('treasury', 'unknown', '--network', 'bnb')).code).toBe(0);
    expect((await payoutOf(database, paid.id))?.attempts).toHaveLength(1);
  });

  it('the withdrawal completes by its final receipt and is told of, the sweep ends by its logs, and nothing is paid twice', async () => {
    await whileFinal(database, async () => {
      const open = await database.query(`select from chain_transaction where status = 'signed'`);
      return open.length === 0;
    });
    const completed = { ...(await api().get<WithdrawalObject>(`/v1/withdrawals/${paid.id}`)).body };
    expect(completed).toMatchObject({ status: 'completed' });
    expect(hashes).toContain(completed.tx_hash);
    await lab.expectArrivedOnce(completed);
    expect(await withdrawalEvents(database, paid.id)).toEqual(['withdrawal.completed']);
    const swept = (await sweepsOf(database)).filter(({ minedHash }) => minedHash !== null);
    expect(swept).toMatchObject([{ status: 'succeeded', isFinished: true, items: [{ swept: POCKET_UNITS }] }]);
    expect(await lab.sentByHotWallet()).toBe(FORGOTTEN);
    await expectBooksInOrder(database);
    await expectPayoutsInOrder(database);
    const { code, out } = await coffer('verify');
    expect({ code, broken: out.match(/BROKEN.*/g) }).toEqual({ code: 0, broken: null });
  });

  it('what was adopted without the word of an operator is named by the auditor', async () => {
    const owner = ownersDatabase(backup.ownerUrl);
    await expectNamed(
      owner,
      `delete from audit_entry where action = 'transaction.adopt' and subject = '${paid.id}'
       returning (select format('transaction_attempt %s/1', id) from chain_transaction
                   where purpose_id = audit_entry.subject) as row`,
      'signatures_are_accounted_for',
    );
    await owner.close();
  });

  it('unfrozen, the wallet goes on with the nonce that follows', async () => {
    expect(await unfreeze()).toMatchObject({ code: 0, out: expect.stringContaining('signs again') });
    const { id: pocketId } = await pocketOn(api(), 'bnb');
    const destination = Wallet.createRandom().address;
    // Refused for a moment while the blocks just mined are read.
    const body = await eventually(async () => {
      const { status, body: ordered } = await withdraw(api(), pocketId, { destination });
      return status === 202 ? ordered : null;
    }, WITHIN_MS);
    await lab.arrived(body);
    const completed = await whileFinal(database, async () => {
      const shown = (await api().get<WithdrawalObject>(`/v1/withdrawals/${body.id}`)).body;
      return shown.status === 'completed' && shown;
    });
    await lab.expectArrivedOnce(completed);
    expect((await payoutOf(database, body.id))?.nonce).toBe(FORGOTTEN);
    expect(await lab.sentByHotWallet()).toBe(FORGOTTEN + 1);
    await expectBooksInOrder(database);
  });
});

const api = (): ApiClient => new ApiClient(service.url, lab.world.apiKey);
