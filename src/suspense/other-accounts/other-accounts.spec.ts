import { eventually } from '../../../test/support/eventually.js';
import type { SeededIntent } from '../../../test/support/factories.js';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { REFUSED } from '../../../test/support/proxy-node.js';
import { changing } from '../../../test/support/solana-lies.js';
import { SolanaScene } from '../../../test/support/solana-scene.js';
import { settlementOn, stateOf } from '../../../test/support/settlement.js';
import {
  type ListedAccounts,
  type OtherAccountTerms,
  paidBeside,
  withDelegate,
} from '../../../test/support/solana-other-account.js';
import { query } from '../../../test/support/sql.js';
import { ExplainService } from '../../explain/explain.service.js';
import { IntentFactsReader } from '../../explain/intent-facts-reader.service.js';
import { WebhookFactsReader } from '../../explain/webhook-facts-reader.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { createLogger } from '../../platform/logging.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { OtherAccounts } from './other-accounts.service.js';

const PAID = 25_000_000n;
const SAID = 'Funds in another token account of an address cannot be credited.';

let scene: SolanaScene;
let chains: TreasuryChains;
let accounts: OtherAccounts;
/** The addresses that the node was asked about, search by search. */
let asked: string[];
let isRefusing = false;
/** The account that has a delegate by its data. */
let delegatedAccount: string | null = null;

beforeAll(async () => {
  scene = await SolanaScene.open();
  const node = await scene.proxy(
    changing('getTokenAccountsByOwner', (result: ListedAccounts, [owner]) => {
      asked.push(String(owner));
      return isRefusing
        ? REFUSED
        : { ...result, value: result.value.map((each) => withDelegate(each, delegatedAccount)) };
    }),
  );
  const logger = createLogger('info', { destination: scene.log });
  chains = new TreasuryChains(
    scene.db.database,
    runtimeServing([{ profile: scene.profile, rpcUrls: [node.url] }]),
    logger,
  );
  accounts = new OtherAccounts(scene.db.database, chains, logger);
});
afterAll(async () => {
  await chains.beforeApplicationShutdown();
  await scene.close();
});
beforeEach(() => {
  asked = [];
});

/** Searches at the address of an intent, whose turn it may not be. */
async function searchFor({ id }: SeededIntent): Promise<void> {
  const others = await query(scene.db.database, `select id from payment_intent where id < $1`, [id]);
  for (let nth = 0; nth <= others.length / 10; nth++) await accounts.search();
}

/** Searches once, and waits until exactly these addresses were asked for. A slow search goes on beside its caller. */
async function expectAsked(addresses: readonly string[]): Promise<void> {
  asked = [];
  await eventually(
    async () => {
      if (asked.length === 0) await accounts.search();
      return new Set(asked);
    },
    (found) => found.size === new Set(addresses).size && addresses.every((each) => found.has(each)),
  );
}

/** Lets the next round begin: an hour has passed. */
const hourLater = () =>
  query(scene.db.database, `update other_account_round set began_at = began_at - interval '1 hour'`);
const found = () => query(scene.db.database, `select account, units from other_account order by account`);

async function codesOf(id: string): Promise<readonly string[]> {
  const { database } = scene.db;
  const facts = new IntentFactsReader(
    database,
    new NetworkViews(database),
    new PricingService(database),
    new WebhookFactsReader({ webhooks: { timeoutMs: 10_000 } }),
  );
  const { findings } = await new ExplainService(facts).explain(scene.tenant, id);
  return findings.map(({ code, sentence }) => (code === 'paid_to_another_account' ? sentence : code));
}

/** The credited accounts. */
async function read(): Promise<readonly string[]> {
  const rows = await query<{ account: string }>(scene.db.database, `select account from credited_account`);
  return rows.map(({ account }) => account);
}

/** Makes the listener finish a step that begins now. */
async function readOn(): Promise<void> {
  const mined = await scene.lab.controls.mine();
  await scene.lab.settle();
  scene.nudge();
  // A step that began before reaches an older block only.
  await eventually(
    () => scene.cursor(),
    ({ height }) => height >= mined,
  );
}

describe('the search for tokens in other accounts of addresses on Solana', () => {
  it('asks about open intents in turn, about ended ones at once, and about all addresses once an hour', async () => {
    const intents = [];
    for (let nth = 0; nth < 22; nth++) intents.push(await scene.intent());
    const addresses = intents.map((intent) => intent.address);
    const byId = intents.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const open = (from: number, to: number) => byId.slice(from, to).map((intent) => intent.address);
    await expectAsked([...open(0, 10), ...addresses.slice(-10)]);
    const last = byId.at(-1);
    const expired = `update payment_intent set status = 'expired', failure_code = null where id = $1`;
    await query(scene.db.database, expired, [last?.id ?? '']);
    await expectAsked([...open(10, 20), ...addresses.slice(2, 12), last?.address ?? '']);
    await expectAsked([...open(20, 21), ...addresses.slice(0, 2)]);
    // The round is over.
    await expectAsked(open(0, 10));
    await hourLater();
    await expectAsked([...open(10, 20), ...addresses.slice(-10)]);
  });
});

describe('tokens in another account of an address on Solana', () => {
  it('complete the intent, are credited once each, and are read from then on', async () => {
    const { database } = scene.db;
    const intent = await scene.intent();
    const first = await paidBeside(scene, intent.address, { amount: 10_000_000n });
    // An account that is handed over pays what it holds then, and nothing of what was paid into it before.
    const second = await paidBeside(scene, intent.address, { amount: 15_000_000n, isHandedOver: true });
    await searchFor(intent);
    expect((await read()).toSorted()).toEqual([first.account, second.account].toSorted());
    expect(await found()).toEqual([]);
    scene.nudge();
    const credited = await scene.untilDeposits(2, 'confirmed');
    expect(new Map(credited.map((deposit) => [deposit.tx_hash, deposit.amount]))).toEqual(
      new Map([
        [first.txHash, '10000000'],
        [second.txHash, '15000000'],
      ]),
    );
    await settlementOn(database).settle(intent.id);
    const state = await stateOf(database, intent);
    expect(state).toMatchObject({ status: 'completed', received: PAID, pocket: PAID });
    expect(state.events).toContain('completed');
    expect((await codesOf(intent.id)).join(' ')).not.toContain('another token account');
    // Later payments to a known account need no search, and another search credits nothing again.
    const again = await scene.payInto(first.account, 7_000_000n);
    scene.nudge();
    expect((await scene.untilDeposits(3, 'confirmed')).at(-1)).toMatchObject({ tx_hash: again, amount: '7000000' });
    await searchFor(intent);
    await readOn();
    expect(await scene.deposits()).toHaveLength(3);
  });

  it('that are found after their intent has expired are in the pocket of the merchant all the same', async () => {
    const { database } = scene.db;
    const before = (await scene.deposits()).length;
    const intent = await scene.intent();
    await query(database, `update payment_intent set status = 'expired' where id = $1`, [intent.id]);
    const { txHash } = await paidBeside(scene, intent.address);
    const { pocket } = await stateOf(database, intent);
    await searchFor(intent);
    scene.nudge();
    const credited = await scene.untilDeposits(before + 1, 'confirmed');
    expect(credited.at(-1)).toMatchObject({ tx_hash: txHash, intent_id: intent.id });
    await settlementOn(database).settle(intent.id);
    expect(await stateOf(database, intent)).toMatchObject({ status: 'expired', pocket: pocket + PAID });
  });

  it('count for the address that owns the account, and only while it is what was credited', async () => {
    const before = (await scene.deposits()).length;
    const [intent, second] = [await scene.intent(), await scene.intent()];
    const { account, keys } = await paidBeside(scene, intent.address);
    await searchFor(intent);
    scene.nudge();
    await scene.untilDeposits(before + 1, 'confirmed');
    const { controls } = scene.lab;
    const obstaclesThere = `select obstacle from credited_account where account = $1 order by address_id, token_contract`;
    const obstacles = () => query<{ obstacle: string | null }>(scene.db.database, obstaclesThere, [account]);
    const reopened = async (owner: string, terms: OtherAccountTerms): Promise<void> => {
      await controls.closeAccount(account);
      await paidBeside(scene, owner, { ...terms, keys });
    };
    const stranger = await scene.lab.newWallet();
    await reopened(stranger.address, { amount: 100_000_000n });
    await readOn();
    expect(await obstacles()).toEqual([{ obstacle: 'replaced' }]);
    await reopened(intent.address, { amount: 100_000_000n, token: 'USDT' });
    await readOn();
    expect(await obstacles()).toEqual([{ obstacle: 'replaced' }]);
    await reopened(intent.address, { amount: 100_000_000n, keepsClosing: true });
    await readOn();
    expect(await obstacles()).toEqual([{ obstacle: 'foreign_close_authority' }]);
    await searchFor(second);
    // Above the 25 that are in the books.
    expect(await query(scene.db.database, `select account, units, obstacle from other_account`)).toEqual([
      { account, units: '75000000', obstacle: 'foreign_close_authority' },
    ]);
    await reopened(intent.address, { amount: 100_000_000n });
    await controls.freeze(account);
    await readOn();
    expect(await obstacles()).toEqual([{ obstacle: 'frozen' }]);
    expect(await scene.deposits()).toHaveLength(before + 1);
    expect(await query(scene.db.database, `select account from unexplained_balance`)).toEqual([]);
    // An account that was found at one address is found at another.
    await controls.thaw(account);
    await reopened(second.address, { amount: 9_000_000n });
    await searchFor(second);
    scene.nudge();
    const deposits = await scene.untilDeposits(before + 2, 'confirmed');
    expect(deposits.at(-1)).toMatchObject({ amount: '9000000', intent_id: second.id });
    expect(await obstacles()).toEqual([{ obstacle: 'replaced' }, { obstacle: null }]);
    expect(await found()).toEqual([]);
  });

  it('that an earlier version has found are credited by the next search', async () => {
    const { database } = scene.db;
    const before = (await scene.deposits()).length;
    const intent = await scene.intent();
    const { account, txHash } = await paidBeside(scene, intent.address);
    await query(
      database,
      `insert into other_account (chain_ref, account, address_id, token_contract, units)
       select $1, $2, id, $3, 25000000 from pool_address where address_key = $4`,
      [scene.chain().chainRef, account, scene.mints.USDC, intent.address],
    );
    // Long after the intent has ended, and between two rounds.
    await scene.db.owner.transaction(async (tx) => {
      await query(tx, `set local session_replication_role = replica`);
      const ended = `status = 'expired', updated_at = now() - interval '2 days'`;
      await query(tx, `update payment_intent set ${ended} where id = $1`, [intent.id]);
      await query(tx, `update other_account_round set below = null, began_at = now()`);
    });
    expect((await codesOf(intent.id)).join(' ')).not.toContain('another token account');
    asked = [];
    await accounts.search();
    expect(asked).toContain(intent.address);
    expect(await found()).toEqual([]);
    scene.nudge();
    expect((await scene.untilDeposits(before + 1, 'confirmed')).at(-1)).toMatchObject({ tx_hash: txHash });
  });

  it('are reported once, not credited and explained, while others could take them back', async () => {
    const before = await scene.deposits();
    const intent = await scene.intent();
    const [frozen, closable, delegated] = [
      await paidBeside(scene, intent.address),
      await paidBeside(scene, intent.address, { amount: 2_000_000n, keepsClosing: true }),
      await paidBeside(scene, intent.address, { amount: 1_000_000n }),
    ];
    await scene.lab.controls.freeze(frozen.account);
    await scene.lab.controls.mine();
    await scene.lab.settle();
    delegatedAccount = delegated.account;
    await searchFor(intent);
    await searchFor(intent);
    expect(await read()).not.toContain(frozen.account);
    expect(await query(scene.db.database, `select account, units, obstacle from other_account order by units`)).toEqual(
      [
        { account: delegated.account, units: '1000000', obstacle: 'delegated' },
        { account: closable.account, units: '2000000', obstacle: 'foreign_close_authority' },
        { account: frozen.account, units: '25000000', obstacle: 'frozen' },
      ],
    );
    const all = [frozen, closable, delegated].map(({ account }) => account);
    expect(scene.log.named(SAID).filter((line) => all.includes(String(line['account'])))).toHaveLength(3);
    const [said = ''] = (await codesOf(intent.id)).filter((code) => code.includes('arrived'));
    expect(said).toContain('28 USDC arrived in other token accounts of the address of this intent');
    for (const reason of ['has frozen', 'take the funds back', 'close the account']) expect(said).toContain(reason);
    await readOn();
    expect(await scene.deposits()).toEqual(before);
    // A node that does not list the accounts of an address does not say that there are none.
    isRefusing = true;
    expect(await accounts.find(intent.address)).toEqual([{ credited: [], refused: [], unlisted: [intent.address] }]);
    isRefusing = false;
    expect(await found()).toHaveLength(3);
    await scene.lab.controls.closeAccount(closable.account);
    await scene.lab.controls.thaw(frozen.account);
    await scene.lab.controls.mine();
    await scene.lab.settle();
    await searchFor(intent);
    expect(await found()).toEqual([{ account: delegated.account, units: '1000000' }]);
    scene.nudge();
    expect((await scene.untilDeposits(before.length + 1, 'confirmed')).at(-1)).toMatchObject({
      tx_hash: frozen.txHash,
    });
  });
});
