import { address, generateKeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  findAssociatedTokenPda,
  getInitializeAccount3Instruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { runtimeServing } from '../../../test/support/served-chains.js';
import { REFUSED } from '../../../test/support/proxy-node.js';
import { changing } from '../../../test/support/solana-lies.js';
import { SolanaScene } from '../../../test/support/solana-scene.js';
import { query } from '../../../test/support/sql.js';
import { ExplainService } from '../../explain/explain.service.js';
import { IntentFactsReader } from '../../explain/intent-facts-reader.service.js';
import { WebhookFactsReader } from '../../explain/webhook-facts-reader.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { createLogger } from '../../platform/logging.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { OtherAccounts } from './other-accounts.service.js';

const SPACE = 165n;
const PAID = 25_000_000n;
const SAID = 'An address owns funds in another token account.';

let scene: SolanaScene;
let chains: TreasuryChains;
let accounts: OtherAccounts;
/** The addresses that the node was asked about, search by search. */
let asked: string[];
let isRefusing = false;
beforeAll(async () => {
  scene = await SolanaScene.open();
  const node = await scene.proxy(
    changing('getTokenAccountsByOwner', (result, [owner]) => {
      asked.push(String(owner));
      return isRefusing ? REFUSED : result;
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

/** Pays to a new token account that the address owns, in its token. Returns the account. */
async function paidBeside(owner: string): Promise<string> {
  const { lab, mints } = scene;
  const [payer, account] = [await scene.payer(PAID), await generateKeyPairSigner()];
  const mint = address(mints.USDC);
  const [source] = await findAssociatedTokenPda({
    owner: payer.address,
    mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  const lamports = await lab.rpc.getMinimumBalanceForRentExemption(SPACE).send();
  const [newAccount, destination] = [account, account.address];
  const instructions = [
    getCreateAccountInstruction({ payer, newAccount, lamports, space: SPACE, programAddress: TOKEN_PROGRAM_ADDRESS }),
    getInitializeAccount3Instruction({ account: destination, mint, owner: address(owner) }),
    getTransferCheckedInstruction({ source, mint, destination, authority: payer, amount: PAID, decimals: 6 }),
  ];
  await lab.land(await lab.sign(instructions, { payer }));
  await lab.settle();
  return destination;
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
    new WebhookFactsReader(),
  );
  const { findings } = await new ExplainService(facts).explain(scene.tenant, id);
  return findings.map(({ code, sentence }) => (code === 'paid_to_another_account' ? sentence : code));
}

describe('tokens in another account of an address on Solana', () => {
  it('are found, reported once, credited to nobody, and explained as long as they are there', async () => {
    const intent = await scene.intent();
    const account = await paidBeside(intent.address);
    // Those of the associated account are a payment.
    await scene.fund({ owner: intent.address, token: 'USDC', amount: 1n });
    await scene.lab.settle();
    await accounts.search();
    await hourLater();
    await accounts.search();
    expect(asked).toEqual([intent.address, intent.address]);
    expect(await found()).toEqual([{ account, units: String(PAID) }]);
    expect(scene.log.named(SAID)).toMatchObject([{ account, owner: intent.address, amount: '25 USDC' }]);
    expect(await codesOf(intent.id)).toContain(
      `25 USDC arrived in another token account of the address of this intent, ${account}, which pays no intent.`,
    );
    scene.nudge();
    expect(await scene.untilDeposits(1, 'confirmed')).toMatchObject([{ amount: '1' }]);
    await scene.stopListening();
    await scene.lab.controls.closeAccount(account);
    await scene.lab.settle();
    await accounts.search();
    expect(await found()).toHaveLength(1);
    await hourLater();
    // A node that does not list the accounts of an address does not say that there are none.
    isRefusing = true;
    await accounts.search();
    isRefusing = false;
    expect(await found()).toHaveLength(1);
    await hourLater();
    await accounts.search();
    expect(await found()).toEqual([]);
    expect((await codesOf(intent.id)).join(' ')).not.toContain('another token account');
  });

  it('are searched for at all addresses in turn, and at once where an intent has ended', async () => {
    const intents = [];
    for (let nth = 0; nth < 22; nth++) intents.push(await scene.intent());
    const addresses = intents.map((intent) => intent.address);
    await hourLater();
    await accounts.search();
    expect(new Set(asked)).toEqual(new Set(addresses.slice(-10)));
    const [oldest] = intents;
    asked = [];
    await query(scene.db.database, `update payment_intent set status = 'expired', failure_code = null where id = $1`, [
      oldest?.id ?? '',
    ]);
    await accounts.search();
    expect(new Set(asked)).toEqual(new Set([...addresses.slice(2, 12), oldest?.address]));
    asked = [];
    await accounts.search();
    // What is left of the round, with the intent of the other test.
    expect(asked).toHaveLength(3);
    asked = [];
    await accounts.search();
    expect(asked).toEqual([]);
    await hourLater();
    await accounts.search();
    expect(new Set(asked)).toEqual(new Set(addresses.slice(-10)));
  });
});
