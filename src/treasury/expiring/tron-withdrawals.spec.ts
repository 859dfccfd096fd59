import { type PaidMerchant, TronPayoutScene, type TronToken } from '../../../test/support/tron-payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { writePlanned } from '../../../test/support/write-planned.js';

const TOKENS: readonly TronToken[] = ['USDT', 'USDC', 'TRX'];
/** What an order of the scene pays, in smallest units. */
const UNITS: Readonly<Record<TronToken, bigint>> = { USDC: 1_000_000n, USDT: 1_000_000n, TRX: 2_000_000n };

let scene: TronPayoutScene;
const merchants = new Map<TronToken, PaidMerchant>();

beforeAll(async () => {
  scene = await TronPayoutScene.funded();
  for (const token of TOKENS) merchants.set(token, await scene.merchant(token));
});
afterAll(() => scene.close());

const merchantOf = (token: TronToken): PaidMerchant => {
  const merchant = merchants.get(token);
  if (merchant === undefined) throw new Error(`There is no merchant with ${token}.`);
  return merchant;
};

/** An address that holds some of the token, or coins. */
async function existingRecipient(token: TronToken): Promise<string> {
  const owner = await scene.freshAddress();
  await scene.controls.fund(owner, token === 'TRX' ? null : token, UNITS[token]);
  await scene.makeFinal();
  return owner;
}

/** What the wallet has. */
async function walletOf(token: TronToken) {
  return {
    coins: await scene.balanceOf(scene.hotWallet, 'TRX'),
    tokens: await scene.balanceOf(scene.hotWallet, token),
  };
}

describe.each(TOKENS)('a withdrawal of %s on Tron', (token) => {
  it.each(['a fresh', 'an existing'] as const)(
    'to %s recipient completes, and the books hold to the sun [H-107]',
    async (kind) => {
      const destination = kind === 'a fresh' ? await scene.freshAddress() : await existingRecipient(token);
      const held = await scene.balanceOf(destination, token);
      const before = await walletOf(token);
      const { id } = await scene.order(merchantOf(token), { destination });
      await scene.sign();
      await scene.finish();
      expect(await scene.shown(id)).toMatchObject({ status: 'completed', failure_code: null });
      expect((await scene.balanceOf(destination, token)) - held).toBe(UNITS[token]);
      const after = await walletOf(token);
      const [payout] = await scene.payouts(id);
      const spent = before.coins - after.coins - (token === 'TRX' ? UNITS.TRX : 0n);
      expect(payout).toMatchObject({ status: 'succeeded', fee_paid: String(spent) });
      if (token !== 'TRX') expect(before.tokens - after.tokens).toBe(UNITS[token]);
      expect(await scene.breaches()).toEqual([]);
    },
  );
});

it('each signed payment was simulated with its very limit, which does not contain its number [I-125]', async () => {
  const tampered = (statement: string): Promise<unknown> =>
    scene.base.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      return query(tx, statement);
    });
  await tampered(
    `insert into payment_simulation overriding system value
     select 0, purpose, 'wd_first', chain_ref, sender, token_contract, amount, destination_key, gas_limit,
            destination_has_code, outcome, nodes, block_height, block_hash, simulated_at - interval '2 days'
       from payment_simulation limit 1`,
  );
  expect(await scene.breaches()).toEqual([]);
  const shifted = (sign: '-' | '+') =>
    tampered(
      `update payment_simulation set gas_limit = payment_simulation.gas_limit ${sign} sent.nonce
         from chain_transaction sent
        where sent.purpose = 'withdrawal' and sent.purpose_id = payment_simulation.purpose_id and sent.nonce > 0
          and sent.token_contract <> 'native'`,
    );
  await shifted('-');
  expect(await scene.breaches()).toMatchObject([{ name: 'signed_payments_were_simulated' }]);
  await shifted('+');
  expect(await scene.breaches()).toEqual([]);
});

describe('the network fee of an order on Tron', () => {
  /** The fee by a dry run, asked through this worker. */
  async function feeTo(token: TronToken, destination: string, worker = scene.worker): Promise<number | null> {
    const { tenant, pocketId } = merchantOf(token);
    await scene.readQuotes();
    const order = { pocket_id: pocketId, amount_cents: 100, destination, fee_strategy: 'standard' } as const;
    const planned = await scene.ordersBy(worker).planPreview(tenant, { ...order, dry_run: true });
    return (await writePlanned(scene.database, planned)).network_fee_cents;
  }

  it('is that of the energy, which is more for a recipient that holds none', async () => {
    const fresh = await feeTo('USDT', await scene.freshAddress());
    const existing = await feeTo('USDT', await existingRecipient('USDT'));
    // 15,000 energy at 100 sun, and 25 cents for a coin.
    expect((fresh ?? 0) - (existing ?? 0)).toBeGreaterThanOrEqual(37);
    expect(existing).toBeGreaterThan(20);
  });

  it('of coins contains the activation of a fresh recipient', async () => {
    expect(await feeTo('TRX', await scene.freshAddress())).toBe(1_100_000);
    expect(await feeTo('TRX', await existingRecipient('TRX'))).toBe(285_000);
  });

  it('is the dearer one while no node has answered', async () => {
    const liar = await scene.liar();
    const existing = await existingRecipient('TRX');
    const slow = scene.newWorker([liar.url]);
    expect(await feeTo('TRX', existing, slow)).toBe(285_000);
    liar.lie = (path, answer) => {
      if (path === 'wallet/getaccount') throw new Error('The connection breaks.');
      return answer;
    };
    expect(await feeTo('TRX', await existingRecipient('TRX'), slow)).toBe(1_100_000);
  });
});

describe('a hot wallet without TRX', () => {
  let poor: TronPayoutScene;
  beforeAll(async () => {
    poor = await TronPayoutScene.open();
    await poor.fundHotWallet({ coins: 0n });
    await poor.trust();
  });
  afterAll(() => poor.close());

  it('lets payments of tokens wait, and makes them once it was topped up', async () => {
    const { id, destination } = await poor.order(await poor.merchant());
    await poor.sign();
    expect(await poor.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'gas_missing' });
    await poor.fundHotWallet({ tokens: 0n });
    // It is simulated once the vault has found that only a simulation is missing.
    await poor.sign();
    await poor.sign();
    await poor.finish();
    expect(await poor.shown(id)).toMatchObject({ status: 'completed' });
    expect(await poor.balanceOf(destination, 'USDT')).toBe(UNITS.USDT);
    expect(await poor.breaches()).toEqual([]);
  });
});
