import { NetworkViews } from '../src/offers/network-views.service.js';
import { IntentReader } from '../src/payments/intents/intent-reader.service.js';
import { row } from '../src/platform/database/database.js';
import { spendableOf } from '../src/treasury/wallets/hot-balances.sql.js';
import { freshDatabase, type TestDatabase } from './support/database.js';
import { aChain, aDeposit, aMerchant, anIntent, type SeededChain } from './support/factories.js';
import { auditBooks } from './support/final-audit.js';
import { aHotWallet, anOutgoing } from './support/outgoing.js';
import { settlementOn, stateOf } from './support/settlement.js';

// Addresses and contracts of these networks distinguish capital letters from small ones.

const PAYER = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';

describe.each(['solana', 'tron'] as const)('on %s', (network) => {
  let db: TestDatabase;
  let chain: SeededChain;
  beforeAll(async () => {
    db = await freshDatabase();
    chain = await aChain(db.database, { network });
  });
  afterAll(() => db.drop());

  it('a token is booked as it is spelled, and every rule of the books holds', async () => {
    const intent = await anIntent(db.database, { tenant: await aMerchant(db.database), chain });
    await aDeposit(db.database, intent, { status: 'confirmed' });
    await settlementOn(db.database).settle(intent.id);
    expect(await stateOf(db.database, intent)).toMatchObject({ status: 'completed', pocket: intent.cryptoAmount });
    const assets = await db.query<{ asset: string }>(`select distinct asset from account where asset like $1 || ':%'`, [
      network,
    ]);
    expect(assets).toEqual([{ asset: `${network}:${chain.contract}` }]);
    await auditBooks({ databaseUrl: db.ownerUrl });
  });

  it('an intent is shown with a payment URI of its own network', async () => {
    const { id, tenant, address } = await anIntent(db.database, { tenant: await aMerchant(db.database), chain });
    const { payment_uri: uri } = await new IntentReader(db.database, new NetworkViews(db.database)).get(tenant, id);
    const link = `^solana:${address}\\?amount=25&spl-token=${chain.contract}$`;
    expect(uri).toMatch(new RegExp(network === 'solana' ? link : `^${address}$`));
  });

  it('payments that the hot wallet has promised are subtracted from its funds', async () => {
    await aHotWallet(db.database, chain.chainRef, PAYER);
    await db.query(`insert into hot_balance (chain_ref, token_contract, height, amount) values ($1, $2, 99, 1000)`, [
      chain.chainRef,
      chain.contract,
    ]);
    await anOutgoing(db.database, chain.chainRef, { sender: PAYER, token: chain.contract });
    const { units } = await row(db.database.em(), spendableOf(chain.chainRef, chain.contract));
    expect(units).toBe('900');
  });
});
