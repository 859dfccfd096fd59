import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { simulated, type SimulationTraits } from '../../../test/support/simulated-payments.js';
import { query } from '../../../test/support/sql.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import { mustWaitForCoinPayments } from './coin-payments-in-flight.js';
import { duePayments } from './payments-due.sql.js';

let scene: PayoutScene;
let places = 0;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

const newDestination = (): string => `0x${(places += 1).toString(16).padStart(40, 'd')}`;
const order = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(await scene.merchant(), { destination: newDestination(), ...traits });
const sign = ({ id }: Ordered): Promise<WaitingReason | null> => scene.signer.sign(scene.vault, id);

/** Changes rows with every guard switched off. */
const tampered = (statement: string, parameters: readonly (string | number)[]): Promise<unknown> =>
  scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, statement, parameters);
  });

/** Makes the transaction of this order final. */
const ends = ({ id }: Ordered, status: 'reverted' | 'succeeded'): Promise<unknown> =>
  tampered(
    `update chain_transaction set status = $2, finished_at = now(), mined_height = 7, fee_paid = 0, mined_hash =
       (select tx_hash from transaction_attempt where transaction_id = chain_transaction.id) where purpose_id = $1`,
    [id, status],
  );

async function failureOf({ id }: Ordered): Promise<string | null | undefined> {
  const [row] = await scene.query<{ code: string | null }>(
    `select failure_code as code from withdrawal where id = $1`,
    [id],
  );
  return row?.code;
}

describe('one more payment in the coin waits for those in flight [I-116]', () => {
  it.each<[destination: string, hasCode: boolean, succeeded: number, inFlight: number, waits: boolean]>([
    ['a contract that was never paid', true, 0, 0, false],
    ['a contract that was never paid', true, 0, 1, true],
    ['a contract that took one', true, 1, 0, false],
    ['a contract that took one', true, 1, 1, true],
    ['a contract that took three', true, 3, 2, false],
    ['a contract that took three', true, 3, 3, true],
    ['a contract that took as many as are counted', true, 50, 49, false],
    ['a contract that took as many as are counted', true, 50, 50, true],
    ['a plain address', false, 0, 49, false],
    ['a plain address', false, 0, 50, true],
  ])('%s (code: %s, succeeded: %i, in flight: %i): %s', (_destination, hasCode, succeeded, inFlight, waits) => {
    expect(mustWaitForCoinPayments(hasCode, { inFlight, succeeded })).toBe(waits);
  });
});

describe('payments in the coin to one destination wait for those in flight [I-116]', () => {
  const toContract = async (destination: string, simulation: SimulationTraits = {}): Promise<Ordered> => {
    const ordered = await order({ destination, token: 'POL', isSimulated: false });
    await simulated(scene.database, ordered.id, { hasCode: true, ...simulation });
    return ordered;
  };
  const isDue = async ({ id }: Ordered): Promise<boolean> => {
    const page = { after: { at: new Date(0), id: '' }, limit: 300 };
    const rows = await scene.database.rows(duePayments('withdrawal', scene.chain.chainRef, page));
    return rows.some((row) => row.id === id);
  };

  it('a contract that was never paid gets one at a time, and other payments do not wait for it', async () => {
    const destination = newDestination();
    const [first, second] = [await toContract(destination), await toContract(destination)];
    expect([await sign(first), await sign(second)]).toEqual([null, 'payments_in_flight']);
    expect([await sign(await order({ destination })), await sign(await order({ token: 'POL' }))]).toEqual([null, null]);
    await ends(first, 'reverted');
    expect(await sign(second)).toBeNull();
    expect(await failureOf(second)).toBe('destination_rejects');
  });

  it('a contract that has taken some gets as many at a time, so one accepted payment does not let all others go', async () => {
    const destination = newDestination();
    const orders = await Promise.all(Array.from({ length: 6 }, () => toContract(destination)));
    const [first, second, third, fourth, fifth, sixth] = orders as [
      Ordered,
      Ordered,
      Ordered,
      Ordered,
      Ordered,
      Ordered,
    ];
    expect([await sign(first), await sign(second)]).toEqual([null, 'payments_in_flight']);
    await ends(first, 'succeeded');
    expect([await sign(second), await sign(third)]).toEqual([null, 'payments_in_flight']);
    await ends(second, 'succeeded');
    expect([await sign(third), await sign(fourth)]).toEqual([null, null]);
    expect([await sign(fifth), await sign(sixth)]).toEqual(['payments_in_flight', 'payments_in_flight']);
  });

  it('is not simulated while it waits; then the vault finds it by itself, and it is simulated before it is signed', async () => {
    const destination = newDestination();
    const [first, second] = [await toContract(destination), await toContract(destination, { secondsAgo: 61 })];
    expect([await sign(first), await sign(second)]).toEqual([null, 'payments_in_flight']);
    expect(await isDue(second)).toBe(false);
    await ends(first, 'succeeded');
    await scene.signer.signWaiting(scene.vault);
    expect(await scene.waitsFor(second.id)).toBe('not_simulated');
    expect(await isDue(second)).toBe(true);
    await simulated(scene.database, second.id, { hasCode: true });
    await scene.signer.signWaiting(scene.vault);
    expect(await scene.waitsFor(second.id)).toBeNull();
  });

  it('of a plain address 50 may be in flight, since it may become a contract meanwhile', async () => {
    const destination = newDestination();
    const first = await order({ destination, token: 'POL' });
    expect(await sign(first)).toBeNull();
    await tampered(
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data, gas_limit,
         token_contract, amount, status)
       select 'ctx_flight_' || n, $1, 'withdrawal', 'wd_flight_' || n, '0x', n, $2, 1, '0x', 1, 'native', 1, 'signed'
         from generate_series(1, 48) n`,
      [scene.chain.chainRef, destination],
    );
    expect(await sign(await order({ destination, token: 'POL' }))).toBeNull();
    const next = await order({ destination, token: 'POL' });
    expect(await sign(next)).toBe('payments_in_flight');
    await ends(first, 'succeeded');
    expect(await sign(next)).toBeNull();
    await tampered(`delete from chain_transaction where id like $1`, ['ctx_flight_%']);
  });
});
