import { readByGenericPlan } from '../../../test/support/query-plan.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { simulated, type SimulationTraits } from '../../../test/support/simulated-payments.js';
import { query } from '../../../test/support/sql.js';
import { payoutOf, withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import { checkRules } from '../../auditor/books-verification.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { compiled } from '../../platform/sql/sql.js';
import { duePayments, findPayingWallets } from './payments-due.sql.js';
import { type PaymentTerms, readFacts } from './payment-simulations.sql.js';

const HOUR = 3_600;

let scene: PayoutScene;
let places = 0;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

const newDestination = (): string => `0x${(places += 1).toString(16).padStart(40, 'b')}`;
const order = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(await scene.merchant(), { destination: newDestination(), ...traits });
const unsimulated = (traits: OrderTraits = {}): Promise<Ordered> => order({ isSimulated: false, ...traits });
const sign = ({ id }: Ordered): Promise<WaitingReason | null> => scene.signer.sign(scene.vault, id);

/** Runs as the owner with every guard disabled. */
const tampered = (statement: string, parameters: readonly (string | number)[]): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, parameters);
  });

async function ended({ id }: Ordered) {
  const [row] = await scene.query<{ failure_code: string | null; available: string }>(
    `select failure_code, account.balance as available from withdrawal join pocket on pocket.id = pocket_id
       join account on account.id = available_account_id where withdrawal.id = $1`,
    [id],
  );
  return row;
}

/** It has failed with this, its money is back, and nothing was ever signed for it. */
async function expectRefused(ordered: Ordered, code: string): Promise<void> {
  expect(await sign(ordered)).toBeNull();
  expect(await ended(ordered)).toEqual({ failure_code: code, available: '25010000' });
  expect(await payoutOf(scene.database, ordered.id)).toBeNull();
  expect(await withdrawalEvents(scene.database, ordered.id)).toEqual(['withdrawal.failed']);
  const { rules } = await scene.database.transaction((tx) => checkRules(tx));
  expect(rules.find(({ name }) => name === 'refusals_are_unsigned')).toMatchObject({ finding: null });
}

/** Records the outcome on the chain as the worker does. */
async function reverts({ id }: Ordered): Promise<void> {
  await scene.query(
    `update chain_transaction set status = 'reverted', finished_at = now(), mined_height = 7, fee_paid = 0, mined_hash =
       (select tx_hash from transaction_attempt where transaction_id = chain_transaction.id) where purpose_id = $1`,
    [id],
  );
}

it('nothing is signed that was not simulated, and it is signed once it was [I-116]', async () => {
  const ordered = await unsimulated();
  expect(await sign(ordered)).toBe('not_simulated');
  expect(await scene.waitsFor(ordered.id)).toBe('not_simulated');
  await simulated(scene.database, ordered.id);
  expect(await sign(ordered)).toBeNull();
  expect(await scene.waitsFor(ordered.id)).toBeNull();
});

it.each([
  ['older than 60 seconds', 61],
  ['from the future', -5],
])('a simulation that is %s, by the database, does not count [I-116]', async (_what, secondsAgo) => {
  const ordered = await unsimulated();
  await simulated(scene.database, ordered.id, { secondsAgo });
  expect(await sign(ordered)).toBe('not_simulated');
});

it.each([
  ['order', `purpose_id = 'wd_other'`],
  ['purpose', `purpose = 'deposit_return'`],
  ['chain', `chain_ref = (select id from chain where id <> chain_ref limit 1)`],
  ['destination', `destination_key = '0x${'99'.repeat(20)}'`],
  ['token', `token_contract = 'native', destination_has_code = false`],
  ['amount', 'amount = amount + 1'],
  ['sender', `sender = '0x${'99'.repeat(20)}'`],
  ['gas', 'gas_limit = gas_limit - 1'],
])('a simulation of another %s does not count [I-125]', async (_what, change) => {
  const ordered = await order();
  if (change.startsWith('chain_ref')) await scene.addChain('bnb');
  await tampered(`update payment_simulation set ${change} where purpose_id = $1`, [ordered.id]);
  expect(await sign(ordered)).toBe('not_simulated');
});

it.each([
  ['rejects', 'destination_rejects'],
  ['needs_gas', 'destination_needs_gas'],
] as const)(
  'the newest one decides: %s ends it with %s, its money is back, and no nonce is taken [I-116]',
  async (outcome, code) => {
    const ordered = await order();
    await simulated(scene.database, ordered.id, { outcome });
    await expectRefused(ordered, code);
  },
);

it('a refusal that is not confirmed lets it wait, whatever was said before; one that is too old does too [I-116]', async () => {
  const doubted = await order();
  await simulated(scene.database, doubted.id, { outcome: 'unconfirmed' });
  const old = await unsimulated();
  await simulated(scene.database, old.id, { outcome: 'rejects', secondsAgo: 61 });
  expect([await sign(doubted), await sign(old)]).toEqual(['not_simulated', 'not_simulated']);
});

it('a refused payment that the funds do not suffice for does not end: it waits for them [I-117]', async () => {
  const ordered = await unsimulated();
  await simulated(scene.database, ordered.id, { outcome: 'rejects' });
  await scene.hold(0n, 10n ** 21n);
  expect(await sign(ordered)).toBe('coins_missing');
  await scene.hold(10n ** 12n, 10n ** 21n);
  await expectRefused(ordered, 'destination_rejects');
});

it('a destination whose payment was reverted is refused for 24 hours in the same asset, whatever simulations say [I-116]', async () => {
  const destination = newDestination();
  const first = await order({ destination });
  expect(await sign(first)).toBeNull();
  await reverts(first);
  await expectRefused(await order({ destination: destination.toUpperCase().replace('X', 'x') }), 'destination_rejects');
  // The token may have reverted it for our sake: that says nothing of others.
  expect(await sign(await order({ destination, token: 'USDT' }))).toBeNull();
  expect(await sign(await order({ destination, token: 'POL' }))).toBeNull();
  const other = await scene.addChain('bnb');
  expect(await sign(await order({ destination, chain: other }))).toBeNull();
  expect(await sign(await order())).toBeNull();
  const ago = `update chain_transaction set finished_at = now() - $2 * interval '1 second' where purpose_id = $1`;
  await tampered(ago, [first.id, 24 * HOUR - 60]);
  await expectRefused(await order({ destination }), 'destination_rejects');
  await tampered(ago, [first.id, 24 * HOUR + 1]);
  expect(await sign(await order({ destination }))).toBeNull();
});

describe('by its newest simulation, a payment is simulated again [I-116]', () => {
  it.each<[when: string, isDue: boolean, minutesOld: number, ...simulations: SimulationTraits[]]>([
    ['when there is none', true, 0],
    ['not while that is fresh', false, 0, { secondsAgo: 20 }],
    ['before the vault may believe it no more', true, 0, { secondsAgo: 31 }],
    ['not at once where a refusal is unconfirmed', false, 0, { outcome: 'unconfirmed', secondsAgo: 3 }],
    ['soon after that', true, 0, { outcome: 'unconfirmed', secondsAgo: 6 }],
    ['whatever an older one said', true, 0, { secondsAgo: 20 }, { outcome: 'unconfirmed', secondsAgo: 6 }],
    ['seldom where the order is old', false, 60, { outcome: 'unconfirmed', secondsAgo: 200 }],
    ['after five minutes at the latest', true, 600, { outcome: 'unconfirmed', secondsAgo: 301 }],
  ])('%s', async (_when, isDue, minutesAgo, ...simulations) => {
    const { id } = await unsimulated({ minutesAgo });
    for (const simulation of simulations) await simulated(scene.database, id, simulation);
    const page = { after: { at: new Date(0), id: '' }, limit: 300 };
    const rows = await scene.database.rows(duePayments('withdrawal', scene.chain.chainRef, page));
    expect(rows.some((row) => row.id === id)).toBe(isDue);
  });
});

it('a pass leaves young orders to the worker, and signs what is simulated among them', async () => {
  const young = [await unsimulated(), await unsimulated()];
  const simulatedOne = await order();
  const old = await unsimulated({ minutesAgo: 1 });
  await scene.signer.signWaiting(scene.vault);
  const waiting = await Promise.all([...young, simulatedOne, old].map(({ id }) => scene.waitsFor(id)));
  // The oldest shows that simulations are missing; the others are not visited.
  expect(waiting).toEqual(['nothing', 'nothing', null, 'not_simulated']);
});

it('every signed payment has a simulation that accepts it, as the audit requires after the first day [I-125]', async () => {
  await tampered(
    `insert into payment_simulation overriding system value
     select 0, purpose, $1, chain_ref, sender, token_contract, amount, destination_key, gas_limit, destination_has_code,
            outcome, nodes, block_height, block_hash, simulated_at - interval '2 days' from payment_simulation limit 1`,
    ['wd_first'],
  );
  const ordered = await order();
  expect(await sign(ordered)).toBeNull();
  const audited = async () =>
    (await scene.database.transaction((tx) => checkRules(tx))).rules.find(
      ({ name }) => name === 'signed_payments_were_simulated',
    );
  expect(await audited()).toMatchObject({ finding: null });
  await tampered(`update payment_simulation set gas_limit = gas_limit + 1 where purpose_id = $1`, [ordered.id]);
  expect(await audited()).toMatchObject({ finding: { says: expect.stringContaining('no simulation') } });
  await tampered(`update payment_simulation set gas_limit = gas_limit - 1, amount = amount + 1 where purpose_id = $1`, [
    ordered.id,
  ]);
  expect(await audited()).toMatchObject({ finding: { says: expect.stringContaining('no simulation') } });
});

it('due payments and simulations are found by indexes, however many there are', async () => {
  const { chainRef, network } = scene.chain;
  await scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    const fill = (statement: string): Promise<unknown> => query(tx, statement, [chainRef]);
    await fill(
      `insert into payment_simulation (purpose, purpose_id, chain_ref, sender, token_contract, amount, destination_key,
         gas_limit, outcome, nodes, block_height, block_hash, simulated_at)
       select 'withdrawal', 'wd_' || n, $1, '0x', '0x', 1, '0x', 1, 'accepts', 1, 1, '0x', now()
         from generate_series(1, 20000) n`,
    );
    await fill(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status, finished_at, mined_hash, mined_height, fee_paid)
       select 'ctx_' || n, $1, 'withdrawal', 'wd_' || n, '0x', n, '0x' || n, 1, '0x', 1, 'native', 1,
              case n % 2 when 0 then 'reverted' else 'succeeded' end, now(),
              '0x', 1, 1 from generate_series(1, 20000) n`,
    );
    // A destination that was paid often in the coin, and is being paid often.
    await fill(
      `insert into payment_simulation (purpose, purpose_id, chain_ref, sender, token_contract, amount, destination_key,
         gas_limit, destination_has_code, outcome, nodes, block_height, block_hash, simulated_at)
       values ('withdrawal', 'wd_coins', $1, '0x', 'native', 1, '0x_often_paid', 1, true, 'accepts', 1, 1, '0x', now())`,
    );
    await fill(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status, finished_at, mined_hash, mined_height, fee_paid)
       select 'ctx_often_' || n, $1, 'withdrawal', 'wd_often_' || n, '0x', n, '0x_often_paid', 1, '0x', 1, 'native', 1,
              case n % 2 when 0 then 'signed' else 'succeeded' end, case n % 2 when 1 then now() end,
              case n % 2 when 1 then '0x' end, case n % 2 when 1 then 1 end, case n % 2 when 1 then 1 end
         from generate_series(20001, 30000) n`,
    );
    await fill(
      `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
         token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
         destination_key, fee_strategy, status, waiting_reason, created_at, updated_at)
       select 'wd_' || n, 'mer_1', 'sandbox', 'pkt_' || n, $1, '${network}', 'USDC', '0x', 6, 2, 1, 1, 1, 1, '0x', '0x',
              'standard', 'broadcasting', 'approval_missing', now(), now() from generate_series(1, 20000) n`,
    );
  });
  await query(scene.db.owner, `analyze`);
  const page = { after: { at: new Date(0), id: '' }, limit: 300 };
  const facts = (purposeId: string, token: string, recipient: string) => {
    const terms: PaymentTerms = {
      purposeId,
      order: { kind: 'transfer', chainRef, token, amount: 1n, recipient },
      gasLimit: 1n,
    };
    return readFacts({ purpose: 'withdrawal', chainRef, sender: '0x' }, [terms]);
  };
  for (const statement of [
    facts('wd_7', '0x', '0x7'),
    facts('wd_coins', 'native', '0x_often_paid'),
    duePayments('withdrawal', chainRef, page),
    duePayments('deposit_return', chainRef, page),
    findPayingWallets(['evm']),
  ]) {
    const { text, values } = compiled(statement);
    const { pages, scans } = await readByGenericPlan(scene.database, text, values);
    expect(scans.filter((scan) => /^Seq Scan on (payment_simulation|chain_tr|withdrawal)/.test(scan))).toEqual([]);
    expect(pages).toBeLessThan(200);
  }
});
