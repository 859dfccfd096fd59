import { alteredVault } from '../../../test/support/altered-vault.js';
import type { SeededChain } from '../../../test/support/factories.js';
import { eventually } from '../../../test/support/eventually.js';
import { listAddress } from '../../../test/support/listed-address.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { payoutOf } from '../../../test/withdrawals/payouts.js';
import { transferCall } from '../../chains/evm/transfer-call.js';
import type { WaitingReason } from '../../domain/outgoing-payment.js';
import type { UnsignedEvmTransaction } from '../../chains/evm/evm-transaction.js';
import type { Vault } from '../../vault/vault.js';

const THIEF = `0x${'66'.repeat(20)}`;
/** The amount and fee that an order holds. */
const HELD = 25_010_000n;

let scene: PayoutScene;
let chain: SeededChain;

beforeAll(async () => {
  scene = await PayoutScene.open();
});
afterAll(() => scene.close());
beforeEach(async () => {
  chain = await scene.addChain('polygon');
});

const order = async (traits: OrderTraits = {}): Promise<Ordered> =>
  scene.order(await scene.merchant(), { chain, ...traits });
const sign = ({ id }: Ordered, vault: Vault = scene.vault): Promise<WaitingReason | null> =>
  scene.signer.sign(vault, id);
const setWallet = (change: string): Promise<unknown> =>
  scene.query(`update hot_wallet set ${change} where chain_ref = $1`, [chain.chainRef]);
const setCursor = (change: string): Promise<unknown> =>
  scene.query(`update chain_cursor set ${change} where chain_ref = $1`, [chain.chainRef]);

async function wallet() {
  const [row] = await scene.query<{ next_nonce: string; frozen_reason: string | null }>(
    `select next_nonce, frozen_reason from hot_wallet where chain_ref = $1`,
    [chain.chainRef],
  );
  return row;
}

/** Asserts that it waits for this reason, unsigned and without a nonce. */
async function expectUnsigned(ordered: Ordered, reason: WaitingReason): Promise<void> {
  expect(await sign(ordered)).toBe(reason);
  expect(await scene.waitsFor(ordered.id)).toBe(reason);
  expect(await payoutOf(scene.database, ordered.id)).toBeNull();
  expect(await wallet()).toMatchObject({ next_nonce: '0' });
}

/** The scene's vault, which runs a step before it signs. */
const vaultAfter = (first: () => Promise<unknown>): Vault =>
  alteredVault(scene.vault, async (asked) => {
    await first();
    return asked;
  });

/** Asserts that it has one signed transaction, and that one nonce was used. */
async function expectSignedOnce({ id }: Ordered): Promise<void> {
  expect(await scene.waitsFor(id)).toBeNull();
  expect((await payoutOf(scene.database, id))?.attempts).toHaveLength(1);
  expect(await wallet()).toMatchObject({ next_nonce: '1', frozen_reason: null });
}

describe('nothing is signed', () => {
  it('once the chain counts more transactions of the hot wallet than we do, until staff unfreeze it [I-113]', async () => {
    const ordered = await order();
    await setWallet('chain_nonce = 1');
    await expectUnsigned(ordered, 'wallet_frozen');
    const reason = 'The chain counts 1 transactions of the hot wallet, and 0 are known here.';
    expect(await wallet()).toEqual({ next_nonce: '0', frozen_reason: reason });
    await setWallet('chain_nonce = 0');
    await expectUnsigned(ordered, 'wallet_frozen');
    await setWallet('frozen_reason = null');
    expect(await sign(ordered)).toBeNull();
    // As many as are recorded, and later fewer, because ours are not mined yet.
    await setWallet('chain_nonce = 1');
    expect([await sign(await order()), await sign(await order())]).toEqual([null, null]);
    expect(await wallet()).toEqual({ next_nonce: '3', frozen_reason: null });
  });

  it('and nothing is refunded for an address that was listed since, while it may be paid already [H-106]', async () => {
    const destination = `0x${'5a'.repeat(20)}`;
    const ordered = await order({ destination });
    await listAddress(scene.database, destination);
    await setWallet('chain_nonce = null');
    await expectUnsigned(ordered, 'balance_unknown');
    await setWallet('chain_nonce = 1');
    await expectUnsigned(ordered, 'wallet_frozen');
    await setWallet('chain_nonce = 0, frozen_reason = null');
    expect(await sign(ordered)).toBeNull();
    const [row] = await scene.query(`select status, failure_code from withdrawal where id = $1`, [ordered.id]);
    expect(row).toEqual({ status: 'failed', failure_code: 'address_blocked' });
  });

  it('once the database is older than the newest signature of this vault, after a failover to a late standby [H-106]', async () => {
    const [lost, waiting] = [await order(), await order()];
    expect(await sign(lost)).toBeNull();
    await scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      await query(tx, `update hot_wallet set next_nonce = 0, chain_nonce = 0 where chain_ref = $1`, [chain.chainRef]);
      await query(tx, `update withdrawal set signed_at = null where id = $1`, [lost.id]);
      for (const table of ['transaction_attempt', 'vault_audit'])
        await query(
          tx,
          `delete from ${table} using chain_transaction sent where sent.id = transaction_id and sent.purpose_id = $1`,
          [lost.id],
        );
      await query(tx, `delete from chain_transaction where purpose_id = $1`, [lost.id]);
    });
    await expectUnsigned(lost, 'wallet_frozen');
    await expectUnsigned(waiting, 'wallet_frozen');
    const reason =
      'The vault has signed 1 transactions of the hot wallet, and 0 are known here: this database is older.';
    expect(await wallet()).toEqual({ next_nonce: '0', frozen_reason: reason });
    // After staff unfreeze it, it asks the chain first.
    await setWallet('frozen_reason = null');
    await expectUnsigned(lost, 'balance_unknown');
    await setWallet('chain_nonce = 0');
    expect(await sign(lost)).toBeNull();
  });

  it('before the chain was asked for its count [I-113]', async () => {
    const ordered = await order();
    await setWallet('chain_nonce = null');
    await expectUnsigned(ordered, 'balance_unknown');
    await setWallet('chain_nonce = 0');
    expect(await sign(ordered)).toBeNull();
  });

  it.each(['halted_reason', 'finality_doubt'])('while finality on the chain is in doubt: %s [I-121]', async (why) => {
    const ordered = await order();
    await setCursor(`${why} = 'The chain contradicts itself.'`);
    await expectUnsigned(ordered, 'chain_halted');
    await setCursor(`${why} = null`);
    expect(await sign(ordered)).toBeNull();
  });

  it('while staff keep its network from being read', async () => {
    const ordered = await order();
    await setCursor(`paused_at = now(), paused_by = 'kim@example.com', paused_reason = 'Nodes move.'`);
    await expectUnsigned(ordered, 'listener_paused');
    await setCursor(`paused_at = null, paused_by = null, paused_reason = null`);
    expect(await sign(ordered)).toBeNull();
  });

  it.each([
    ['nothing', 0n],
    ['the amount without the fee', HELD - 10_000n],
    ['more than both', HELD + 1n],
  ])('for a row when the books hold %s', async (_what, held) => {
    const tenant = await scene.merchant();
    // The pocket needs enough for the excess that is held.
    const { id } = await scene.order(tenant, { chain, held: 0n });
    await scene.query(
      `update withdrawal set status = 'failed', failure_code = 'cancelled', failure_message = '' where id = $1`,
      [id],
    );
    await expectUnsigned(await scene.order(tenant, { chain, held }), 'not_booked');
  });

  it.each([
    ['token', { token: 'USDT' }, () => ({ token_contract: chain.contract })],
    ['merchant', {}, async () => ({ merchant_id: (await scene.merchant()).merchantId })],
    ['network', {}, async () => ({ chain_ref: (await scene.addChain('ethereum')).chainRef })],
  ] as const)('for a row when the books hold funds of another %s', async (_what, traits, change) => {
    const ordered = await order(traits);
    for (const [column, value] of Object.entries(await change())) {
      await scene.db.owner.transaction(async (tx) => {
        await query(tx, `set local session_replication_role = replica`);
        await query(tx, `update withdrawal set ${column} = $2 where id = $1`, [ordered.id, value]);
      });
    }
    await expectUnsigned(ordered, 'not_booked');
  });

  it.each<[string, (asked: UnsignedEvmTransaction) => Partial<UnsignedEvmTransaction>]>([
    ['another recipient', ({ to }) => transferCall({ token: to, recipient: THIEF, amount: 25_000_000n })],
    ['another amount', ({ data }) => ({ data: `${data.slice(0, -1)}1` })],
    ['another token', () => ({ to: THIEF })],
    ['another chain', () => ({ chainId: 137n })],
    ['another nonce', () => ({ nonce: 1 })],
    ['a higher fee', ({ maxFeePerGas }) => ({ maxFeePerGas: maxFeePerGas + 1n })],
  ])(
    'when the transaction does not match the order: %s. The wallet is frozen instead [I-125]',
    async (_what, change) => {
      const ordered = await order();
      const rogue = alteredVault(scene.vault, (asked) => ({ ...asked, ...change(asked) }));
      expect(await sign(ordered, rogue)).toBe('wallet_frozen');
      const reason = expect.stringContaining('is not the one that was asked for');
      expect(await wallet()).toEqual({ next_nonce: '0', frozen_reason: reason });
      expect(await payoutOf(scene.database, ordered.id)).toBeNull();
      const verdicts = await scene.query(`select verdict, reason from vault_audit where purpose_id = $1`, [ordered.id]);
      expect(verdicts).toEqual([{ verdict: 'refused', reason }]);
      await expectUnsigned(ordered, 'wallet_frozen');
    },
  );
});

describe('a pass over all waiting withdrawals', () => {
  it('signs all it can: one whose signing throws, or that waits for a reason of its own, delays no other', async () => {
    const throwing = await order({ minutesAgo: 5, destination: THIEF });
    const forged = await order({ minutesAgo: 4, held: 0n });
    const tenant = await scene.merchant();
    const frozen = await scene.order(tenant, { chain, minutesAgo: 3 });
    await scene.query(
      `insert into withdrawal_policy (merchant_id, environment, frozen_reason) values ($1, $2, 'asked for')`,
      [tenant.merchantId, tenant.environment],
    );
    const fine = [await order({ minutesAgo: 2 }), await order({ token: 'USDT', minutesAgo: 1 })];
    const vault = alteredVault(scene.vault, (asked) => {
      if (asked.data.includes(THIEF.slice(2))) throw new Error('The vault is at a loss.');
      return asked;
    });
    await scene.signer.signWaiting(vault);
    const waiting = await Promise.all([throwing, forged, frozen, ...fine].map(({ id }) => scene.waitsFor(id)));
    expect(waiting).toEqual(['nothing', 'not_booked', 'merchant_frozen', null, null]);
    expect(await wallet()).toEqual({ next_nonce: '2', frozen_reason: null });
    await scene.signer.signWaiting(scene.vault);
    expect(await scene.waitsFor(throwing.id)).toBeNull();
  });

  it('records the reason for every order on a stopped chain, and signs those on other chains', async () => {
    const other = await scene.addChain('bnb');
    const first = await order({ minutesAgo: 3 });
    const second = await order({ minutesAgo: 2 });
    const elsewhere = await order({ chain: other, minutesAgo: 1 });
    await setCursor(`halted_reason = 'The chain contradicts itself.'`);
    await scene.signer.signWaiting(scene.vault);
    const waiting = await Promise.all([first, second, elsewhere].map(({ id }) => scene.waitsFor(id)));
    expect(waiting).toEqual(['chain_halted', 'chain_halted', null]);
    await setCursor('halted_reason = null');
    await scene.signer.signWaiting(scene.vault);
    expect([await scene.waitsFor(first.id), await scene.waitsFor(second.id)]).toEqual([null, null]);
  });
});

describe('a withdrawal that is being signed', () => {
  it('is skipped by every other signer meanwhile [I-112]', async () => {
    const ordered = await order();
    const others: unknown[] = [];
    const vault = vaultAfter(async () => others.push(await sign(ordered), await payoutOf(scene.database, ordered.id)));
    expect(await sign(ordered, vault)).toBeNull();
    expect(others).toEqual([null, null]);
    await expectSignedOnce(ordered);
  });

  it('is signed only by another process when its signer hangs until PostgreSQL ends the connection [I-112]', async () => {
    const ordered = await order();
    const vault = vaultAfter(async () => {
      await scene.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`);
      await eventually(
        async () => {
          await sign(ordered);
          return await scene.waitsFor(ordered.id);
        },
        (seen) => seen === null,
      );
    });
    await expect(sign(ordered, vault)).rejects.toThrow();
    await expectSignedOnce(ordered);
  });

  it('is committed whole when the vault stops, or not at all and signed after the next start [K-149]', async () => {
    const stopping = await scene.openVault();
    const [asked, unasked] = [await order(), await order()];
    const asking: Vault = {
      ...alteredVault(scene.vault, (same) => same),
      signEvm: async (...terms) => {
        const signed = stopping.signEvm(...terms);
        await stopping.close();
        return signed;
      },
    };
    expect(await sign(asked, asking)).toBeNull();
    await expectSignedOnce(asked);
    await expect(sign(unasked, asking)).rejects.toMatchObject({ reason: 'stopped' });
    expect(await payoutOf(scene.database, unasked.id)).toBeNull();
    await expectSignedOnce(asked);
    expect(await sign(unasked)).toBeNull();
    expect(await wallet()).toMatchObject({ next_nonce: '2' });
  });
});
