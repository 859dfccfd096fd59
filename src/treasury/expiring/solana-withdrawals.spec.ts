import { type PaidMerchant, SolanaPayoutScene, type SolanaToken } from '../../../test/support/solana-payout-scene.js';
import { query } from '../../../test/support/sql.js';
import { writePlanned } from '../../../test/support/write-planned.js';

const TOKENS: readonly SolanaToken[] = ['USDC', 'USDT', 'SOL'];
/** What an order of the scene pays, in smallest units. */
const UNITS: Readonly<Record<SolanaToken, bigint>> = { USDC: 1_000_000n, USDT: 1_000_000n, SOL: 10_000_000n };

let scene: SolanaPayoutScene;
const merchants = new Map<SolanaToken, PaidMerchant>();

beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  for (const token of TOKENS) merchants.set(token, await scene.merchant(token));
});
afterAll(() => scene.close());

const merchantOf = (token: SolanaToken): PaidMerchant => {
  const merchant = merchants.get(token);
  if (merchant === undefined) throw new Error(`There is no merchant with ${token}.`);
  return merchant;
};

/** An address with an account of the token, or with coins. */
async function existingRecipient(token: SolanaToken): Promise<string> {
  const owner = await scene.freshAddress();
  await scene.lab.controls.fund({ owner, token: token === 'SOL' ? null : token, amount: UNITS[token] });
  await scene.makeFinal();
  return owner;
}

/** Changes rows that only a thief would. */
const tampered = (statement: string): Promise<unknown> =>
  scene.base.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    return query(tx, statement);
  });

/** What the wallet has, and what was booked as its costs. */
async function walletOf(token: SolanaToken) {
  return {
    coins: await scene.balanceOf(scene.hotWallet, 'SOL'),
    tokens: await scene.balanceOf(scene.hotWallet, token),
  };
}

describe.each(TOKENS)('a withdrawal of %s', (token) => {
  it.each(['a fresh', 'an existing'] as const)(
    'to %s recipient completes, and the books hold to the lamport [H-107]',
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
      const spent = before.coins - after.coins - (token === 'SOL' ? UNITS.SOL : 0n);
      expect(payout).toMatchObject({ status: 'succeeded', fee_paid: String(spent) });
      if (token !== 'SOL') expect(before.tokens - after.tokens).toBe(UNITS[token]);
      expect(await scene.breaches()).toEqual([]);
    },
  );
});

it('each signed payment was simulated without the number that its limit contains, as the audit requires after the first day [I-125]', async () => {
  await tampered(
    `insert into payment_simulation overriding system value
     select 0, purpose, 'wd_first', chain_ref, sender, token_contract, amount, destination_key, gas_limit,
            destination_has_code, outcome, nodes, block_height, block_hash, simulated_at - interval '2 days'
       from payment_simulation limit 1`,
  );
  const numbers = await scene.query<{ nonce: string }>(
    `select nonce from chain_transaction where purpose = 'withdrawal'`,
  );
  expect(numbers.some(({ nonce }) => Number(nonce) > 0)).toBe(true);
  expect(await scene.breaches()).toEqual([]);
  await tampered(`update payment_simulation set gas_limit = gas_limit - 1`);
  expect(await scene.breaches()).toMatchObject([{ name: 'signed_payments_were_simulated' }]);
  await tampered(`update payment_simulation set gas_limit = gas_limit + 1`);
});

describe('the network fee of an order in USDC', () => {
  let existing: string;
  beforeAll(async () => {
    existing = await existingRecipient('USDC');
  });

  /** The fee by a dry run, asked through this worker. */
  async function feeTo(destination: string, worker = scene.worker): Promise<number | null> {
    const { tenant, pocketId } = merchantOf('USDC');
    await scene.readQuotes();
    const order = { pocket_id: pocketId, amount_cents: 100, destination, fee_strategy: 'standard' } as const;
    const planned = await scene.ordersBy(worker).planPreview(tenant, { ...order, dry_run: true });
    return (await writePlanned(scene.database, planned)).network_fee_cents;
  }

  it('contains the rent of an account only when the recipient has none', async () => {
    // 1,488,440 lamports of rent, at 100 dollars per coin.
    expect(await feeTo(await scene.freshAddress())).toBe(15);
    expect(await feeTo(existing)).toBe(1);
  });

  it('contains the rent while no node has answered', async () => {
    const silent = await scene.base.proxy(null);
    const slow = scene.newWorker([silent.url]);
    // It is connected, so that only the question about the account is slow.
    expect(await feeTo(existing, slow)).toBe(1);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    silent.lie = async (question, ask) => {
      if (question.method === 'getMultipleAccounts') await released;
      return (await ask(question))['result'];
    };
    const fee = await feeTo(existing, slow);
    release();
    expect(fee).toBe(15);
  });
});
