import { type Ordered, PayoutScene } from '../../../test/support/payout-scene.js';
import { sqlRefusalOf } from '../../../test/support/sql-refusal.js';
import { type Payout, payoutOf } from '../../../test/withdrawals/payouts.js';
import type { Tenant } from '../../domain/tenant.js';

// Changes that PostgreSQL itself refuses, from a faulty program or an operator with psql.

/** Each term with another value that would do. */
const WITHDRAWAL_TERMS = {
  id: `'wd_other'`,
  merchant_id: `'mer_other'`,
  environment: `'live'`,
  pocket_id: `'poc_other'`,
  chain_ref: `'other'`,
  network: `'bnb'`,
  token: `'DAI'`,
  token_contract: `'0xother'`,
  token_decimals: `18`,
  minor_unit_exponent: `6`,
  amount_cents: `amount_cents + 1`,
  amount: `amount + 1`,
  network_fee_cents: `network_fee_cents + 1`,
  fee_amount: `fee_amount + 1`,
  destination: `'0xother'`,
  destination_key: `'0xother'`,
  fee_strategy: `'fast'`,
  reference: `'other'`,
  created_at: `created_at + interval '1 second'`,
} as const;
const TRANSACTION_TERMS = {
  id: `'ctx_other'`,
  chain_ref: `'other'`,
  purpose: `'sweep'`,
  purpose_id: `'wd_other'`,
  sender: `'0xother'`,
  nonce: `nonce + 1`,
  destination: `'0xother'`,
  value: `value + 1`,
  data: `'0xother'`,
  gas_limit: `gas_limit + 1`,
  token_contract: `'0xother'`,
  amount: `amount + 1`,
} as const;
const MINED = `status = 'succeeded', mined_height = 1, finished_at = now()`;
const FAILED = `status = 'failed', failure_code = 'cancelled', failure_message = ''`;
const COMPLETED = `status = 'completed', completed_at = now()`;

let scene: PayoutScene;
let tenant: Tenant;
let unsigned: Ordered;
let signed: Ordered;
let payout: Payout;
/** The most that the payout's gas may cost. */
let feeMax: bigint;

beforeAll(async () => {
  scene = await PayoutScene.open();
  await orderTwo();
});
afterAll(() => scene.close());

/** Two withdrawals of which one is signed. Those before them stay as they are. */
async function orderTwo(): Promise<void> {
  tenant = await scene.merchant();
  unsigned = await scene.order(tenant, { token: 'USDT' });
  signed = await scene.order(tenant);
  await scene.signer.sign(scene.vault, signed.id);
  const found = await payoutOf(scene.database, signed.id);
  if (found === null) throw new Error('Nothing was signed.');
  payout = found;
  feeMax = 120_000n * (payout.attempts[0]?.maxFeePerGas ?? 0n);
}

const write = (text: string, ...parameters: string[]) => scene.query(text, parameters);
/** Runs as the owner, so that only a guard can refuse. */
const refusalOf = (text: string, ...parameters: string[]) => sqlRefusalOf(scene.db.owner, text, parameters);
const hash = (): string => payout.attempts[0]?.txHash ?? '';
/** Ends the payout on the chain by this hash and at this price. */
const mined = (act: typeof write | typeof refusalOf, txHash: string, feePaid = feeMax) =>
  act(
    `update chain_transaction set ${MINED}, mined_hash = $2, fee_paid = $3 where id = $1`,
    payout.id,
    txHash,
    `${feePaid}`,
  );

describe('a withdrawal', () => {
  const TERMS = 'a withdrawal keeps its terms, and ends once';
  /** Writes a copy of one, ended so that its pocket may have it, with this in the place of what it says. */
  const copy = (act: typeof write | typeof refusalOf, change: Record<string, string>) =>
    act(
      `insert into withdrawal select (jsonb_populate_record(withdrawal, $2::jsonb)).* from withdrawal where id = $1`,
      unsigned.id,
      JSON.stringify({ id: `${unsigned.id}x`, status: 'failed', failure_code: 'x', failure_message: 'x', ...change }),
    );

  it("is of the pocket's merchant, environment, network and token", async () => {
    const other = await scene.merchant();
    const constraint = /violates foreign key constraint "withdrawal_pocket_id/;
    expect(await copy(refusalOf, { merchant_id: other.merchantId })).toMatch(constraint);
    expect(await copy(refusalOf, { pocket_id: signed.pocketId })).toMatch(constraint);
    await copy(write, {});
  });

  it("is of its chain's environment and network", async () => {
    const live = { ...tenant, environment: 'live' } as const;
    const constraint = /violates foreign key constraint "withdrawal_chain_ref/;
    await expect(scene.order(live)).rejects.toThrow(constraint);
    const elsewhere = { ...scene.chain, network: 'bnb' } as const;
    await expect(scene.order(tenant, { chain: elsewhere })).rejects.toThrow(constraint);
  });

  it.each(Object.entries(WITHDRAWAL_TERMS))('keeps its %s [I-125]', async (column, value) => {
    expect(await refusalOf(`update withdrawal set ${column} = ${value} where id = $1`, unsigned.id)).toContain(TERMS);
  });

  it('stays signed, as of the same moment', async () => {
    for (const value of [`null`, `signed_at + interval '1 second'`]) {
      expect(await refusalOf(`update withdrawal set signed_at = ${value} where id = $1`, signed.id)).toContain(TERMS);
    }
  });

  it('is not failed while its transaction may be mined, or was [I-111]', async () => {
    await orderTwo();
    const failed = `update withdrawal set ${FAILED} where id = $1`;
    expect(await refusalOf(failed, signed.id)).toContain('may be paid already');
    await mined(write, hash());
    expect(await refusalOf(failed, signed.id)).toContain('may be paid already');
    await write(failed, unsigned.id);
  });

  it('is completed only by the hash of its mined transaction, and ends once [I-108]', async () => {
    await orderTwo();
    const completed = `update withdrawal set ${COMPLETED}, tx_hash = $2 where id = $1`;
    expect(await refusalOf(completed, unsigned.id, hash())).toContain('was not paid by');
    expect(await refusalOf(completed, signed.id, hash())).toContain('was not paid by');
    await mined(write, hash());
    expect(await refusalOf(completed, signed.id, `0x${'00'.repeat(32)}`)).toContain('was not paid by');
    expect(await refusalOf(completed, unsigned.id, hash())).toContain('was not paid by');
    await write(completed, signed.id, hash());
    const again = await refusalOf(
      `update withdrawal set status = 'broadcasting', completed_at = null where id = $1`,
      signed.id,
    );
    expect(again).toContain(TERMS);
  });
});

describe('an outgoing transaction', () => {
  const TERMS = 'an outgoing transaction keeps its terms, and ends once';
  // One that has not ended yet.
  beforeAll(orderTwo);

  it.each(Object.entries(TRANSACTION_TERMS))('keeps its %s [I-125]', async (column, value) => {
    expect(await refusalOf(`update chain_transaction set ${column} = ${value} where id = $1`, payout.id)).toContain(
      TERMS,
    );
  });

  it('was mined as one of its attempts, at no more than its offered fee, and ends once [I-114]', async () => {
    await orderTwo();
    expect(await mined(refusalOf, `0x${'00'.repeat(32)}`)).toContain('was not mined as');
    expect(await mined(refusalOf, hash(), feeMax + 1n)).toContain('was not mined as');
    await mined(write, hash(), feeMax);
    expect(await mined(refusalOf, hash(), 1n)).toContain(TERMS);
  });

  it('is not abandoned while its chain is there', async () => {
    await orderTwo();
    const abandoned = `update chain_transaction set status = 'abandoned', finished_at = now() where id = $1`;
    expect(await refusalOf(abandoned, payout.id)).toContain('may still mine it');
  });
});

describe('a hot wallet', () => {
  const TERMS = 'a hot wallet keeps its address, and its nonces are taken one by one';

  it.each([
    ['a nonce that was taken', 'next_nonce = next_nonce - 1'],
    ['two nonces at once', 'next_nonce = next_nonce + 2'],
    ['another address', `address = '0xother'`],
    ['another key of its address', `address_key = '0xother'`],
    ['another path', `derivation_path = 'm/0'`],
    ['another chain', `chain_ref = 'other'`],
  ])('is not given %s [I-113]', async (_what, change) => {
    expect(await refusalOf(`update hot_wallet set ${change} where chain_ref = $1`, scene.chain.chainRef)).toContain(
      TERMS,
    );
  });
});

describe('nothing is ever removed', () => {
  const APPEND_ONLY = 'append-only';
  it.each([
    ['withdrawal', 'ends once'],
    ['chain_transaction', 'ends once'],
    ['transaction_attempt', APPEND_ONLY],
    ['hot_wallet', 'one by one'],
    ['vault_audit', APPEND_ONLY],
  ])('from %s, neither row by row nor as a whole', async (table, refusal) => {
    expect(await refusalOf(`delete from ${table}`)).toContain(refusal);
    expect(await refusalOf(`truncate ${table} cascade`)).toContain(`TRUNCATE on ${table} is refused`);
  });

  it.each([
    ['transaction_attempt', `raw_transaction = '0x'`],
    ['vault_audit', `reason = null`],
  ])('and nothing of %s is changed', async (table, change) => {
    expect(await refusalOf(`update ${table} set ${change}`)).toContain(APPEND_ONLY);
  });
});
