import { LogLines } from '../../../test/support/log-lines.js';
import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { simulated } from '../../../test/support/simulated-payments.js';
import { query } from '../../../test/support/sql.js';
import { Sealer } from '../../ledger/sealer.service.js';
import { createLogger } from '../../platform/logging.js';
import { Metrics } from '../../platform/metrics.js';
import { BooksAuditor } from '../books-auditor.service.js';
import { checkRules } from '../books-verification.js';
import { SIMULATED_FIRST } from './refusal-checks.sql.js';

let scene: PayoutScene;

beforeEach(async () => {
  scene = await PayoutScene.open();
});
afterEach(() => scene.close());

const order = async (): Promise<Ordered> => scene.order(await scene.merchant());
const sign = ({ id }: Ordered): Promise<string | null> => scene.signer.sign(scene.vault, id);

/** Changes rows with all guards disabled. */
const tampered = (statement: string, parameters: readonly (string | number)[]): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, parameters);
  });

const findingOf = async (rule: string) =>
  (await scene.database.transaction((tx) => checkRules(tx))).rules.find(({ name }) => name === rule)?.finding;

it('a refusal by a revert is valid, although the transaction that wrote the revert began after that of the refusal', async () => {
  const [first, second] = [await order(), await order()];
  expect(await sign(first)).toBeNull();
  await scene.query(
    `update chain_transaction set status = 'reverted', finished_at = now(), mined_height = 7, fee_paid = 0, mined_hash =
       (select tx_hash from transaction_attempt where transaction_id = chain_transaction.id) where purpose_id = $1`,
    [first.id],
  );
  expect(await sign(second)).toBeNull();
  const revertedAfter = (seconds: number): Promise<unknown> =>
    tampered(
      `update chain_transaction set finished_at = (select updated_at from withdrawal where id = $2) + $3 * interval '1 second'
        where purpose_id = $1`,
      [first.id, second.id, seconds],
    );
  await revertedAfter(59);
  expect(await findingOf('refusals_are_unsigned')).toBeNull();
  await revertedAfter(61);
  expect(await findingOf('refusals_are_unsigned')).toMatchObject({ row: `withdrawal ${second.id}` });
});

it('a payment that an older vault signed after a rollback is reported, and freezes no wallet', async () => {
  const ordered = await scene.order(await scene.merchant(), { isSimulated: false });
  await simulated(scene.database, ordered.id);
  expect(await sign(ordered)).toBeNull();
  await new Sealer(scene.database).seal();
  const log = new LogLines();
  const runtime = { ...runtimeServing([]), databaseUrl: scene.db.url };
  const auditor = new BooksAuditor(scene.database, new Metrics(), runtime, createLogger('info', { destination: log }));
  // The scene's money comes from no deposit: that is found first, and is no new finding afterwards.
  await auditor.auditDue();
  await scene.query(`update hot_wallet set frozen_reason = null`);
  await tampered(`update books_audit set finished_at = finished_at - interval '1 day'`, []);
  await tampered(
    `update payment_simulation set simulated_at = simulated_at - interval '2 days' where purpose_id = $1`,
    [ordered.id],
  );
  await auditor.auditDue();
  const reported = log.named('The ledger audit found broken rules.').filter(({ rule }) => rule === SIMULATED_FIRST);
  expect(reported).toMatchObject([{ level: 'fatal', froze: false }]);
  expect(await scene.query(`select frozen_reason as reason from hot_wallet`)).toEqual([{ reason: null }]);
});
