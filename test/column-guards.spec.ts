import { aChain, aMerchant, anIntent } from './support/factories.js';
import { PayoutScene } from './support/payout-scene.js';
import { sqlRefusalOf } from './support/sql-refusal.js';
import { query } from './support/sql.js';

// The guards list columns by name, and a new column is in none of them until a migration replaces the guard. So each
// column is changed alone, by the owner of the table: a guard that forgets a term of an order lets the change through.

/** A row, its table, and what its guards say to a change of a term. */
interface Guarded {
  readonly table: string;
  readonly id: string;
  readonly refusal: RegExp;
}

/** The columns that change before the end, by what changes them. All others keep their value. */
const CHANGEABLE = {
  withdrawal: {
    ending: ['status', 'failure_code', 'failure_message', 'completed_at'],
    waiting: ['waiting_reason', 'released_at'],
    sending: ['tx_hash'],
    anything: ['updated_at'],
  },
  chain_transaction: {
    ending: ['status', 'mined_hash', 'mined_height', 'fee_paid', 'finished_at'],
    sending: ['due_at', 'broadcast_at', 'replace_wanted_at'],
    // Terms that the guard does not list; no code changes them.
    nothing: ['created_at'],
  },
  payment_intent: {
    settling: ['status', 'failure_code', 'completed_at', 'due_at'],
    paying: ['received_crypto_amount', 'received_amount_cents', 'overpaid_amount_cents', 'accepted_shortfall_cents'],
    anything: ['updated_at'],
    // The sandbox ends an intent early.
    expiring: ['expires_at'],
    // Terms that the guard does not list; no code changes them.
    nothing: ['reference', 'metadata'],
  },
} as const;

const WITHDRAWAL = /a withdrawal keeps its terms, and ends once/;
const TRANSACTION = /an outgoing transaction keeps its terms, and ends once/;
const INTENT = /is locked|is immutable|is terminal/;

/** Another value than that of the column, by the type of the column. */
const OTHER_VALUE: readonly (readonly [type: RegExp, value: (column: string) => string])[] = [
  [/^text$/, (column) => `coalesce(${column}, '') || 'x'`],
  [/^(integer|bigint|numeric)/, (column) => `coalesce(${column}, 0) + 1`],
  [/^timestamp/, (column) => `coalesce(${column}, now()) + interval '1 second'`],
  [/^jsonb$/, (column) => `coalesce(${column}, '{}') || '{"another": 1}'`],
  [/^boolean$/, (column) => `${column} is not true`],
];

let scene: PayoutScene;
beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());

/** A withdrawal that was just signed, with its transaction. */
async function signedWithdrawal(): Promise<{ readonly withdrawal: Guarded; readonly transaction: Guarded }> {
  const { id } = await scene.order(await scene.merchant());
  await scene.signer.sign(scene.vault, id);
  const [signed] = await scene.query<{ id: string }>(
    `select id from chain_transaction where purpose = 'withdrawal' and purpose_id = $1`,
    [id],
  );
  return {
    withdrawal: { table: 'withdrawal', id, refusal: WITHDRAWAL },
    transaction: { table: 'chain_transaction', id: signed?.id ?? '', refusal: TRANSACTION },
  };
}

async function quotedIntent(status: 'requires_action' | 'expired'): Promise<Guarded> {
  const chain = await aChain(scene.database, { network: 'bnb' });
  const { id } = await anIntent(scene.database, { tenant: await aMerchant(scene.database), chain, status });
  await scene.query(`update chain set active = false where id = $1`, [chain.chainRef]);
  return { table: 'payment_intent', id, refusal: INTENT };
}

/** The columns of a row that its guards let change, by the catalogue of the database. */
async function changeableIn({ table, id, refusal }: Guarded): Promise<string[]> {
  const columns = await query<{ name: string; type: string }>(
    scene.db.owner,
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  const changeable: string[] = [];
  for (const { name, type } of columns) {
    const [, other] = OTHER_VALUE.find(([known]) => known.test(type)) ?? [];
    if (other === undefined) throw new Error(`Add another value for columns of the type ${type} (${table}.${name}).`);
    // It fails in any case, so that the row stays as it is.
    const change = `do $$ begin
      update ${table} set ${name} = ${other(name)} where id = '${id}';
      raise exception 'The change was accepted.';
    end $$`;
    if (!refusal.test(await sqlRefusalOf(scene.db.owner, change))) changeable.push(name);
  }
  return changeable.toSorted();
}

function listed(table: keyof typeof CHANGEABLE): string[] {
  const columns: string[] = Object.values(CHANGEABLE[table]).flat();
  return columns.toSorted();
}

describe('each column is guarded, or listed here as changeable', () => {
  it('of a withdrawal that is signed [I-125]', async () => {
    const { withdrawal } = await signedWithdrawal();
    expect(await changeableIn(withdrawal)).toEqual(listed('withdrawal'));
  });

  it('of an outgoing transaction that is signed [I-125]', async () => {
    const { transaction } = await signedWithdrawal();
    expect(await changeableIn(transaction)).toEqual(listed('chain_transaction'));
  });

  it('of a payment intent that has its address [E-61]', async () => {
    expect(await changeableIn(await quotedIntent('requires_action'))).toEqual(listed('payment_intent'));
  });
});

describe('every column is guarded at the end', () => {
  it('of a withdrawal and of its transaction', async () => {
    const { withdrawal, transaction } = await signedWithdrawal();
    await scene.query(
      `update chain_transaction set status = 'succeeded', mined_height = 1, fee_paid = 1, finished_at = now(),
              mined_hash = (select tx_hash from transaction_attempt where transaction_id = $1)
        where id = $1`,
      [transaction.id],
    );
    await scene.query(
      `update withdrawal set status = 'completed', completed_at = now(),
              tx_hash = (select mined_hash from chain_transaction where id = $2)
        where id = $1`,
      [withdrawal.id, transaction.id],
    );
    expect(await changeableIn(transaction)).toEqual([]);
    expect(await changeableIn(withdrawal)).toEqual([]);
  });

  it('of a payment intent', async () => {
    expect(await changeableIn(await quotedIntent('expired'))).toEqual([]);
  });
});
