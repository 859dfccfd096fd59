import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, aPriceSnapshot, type SeededChain } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { NATIVE_COIN } from '../../domain/network.js';
import type { Database } from '../../platform/database/database.js';
import { PricingService } from '../../pricing/pricing.service.js';
import { FeeQuotes, type FeeQuery } from './fee-quotes.service.js';

const GWEI = 10n ** 9n;
const COIN = { symbol: 'ETH', contract: NATIVE_COIN, decimals: 18, minorUnitExponent: 8 };

let db: TestDatabase;
let database: Database;
let chain: SeededChain;
let quotes: FeeQuotes;

beforeEach(async () => {
  db = await freshDatabase();
  ({ database } = db);
  chain = await aChain(database, { network: 'ethereum' });
  quotes = new FeeQuotes(new PricingService(database));
});
afterEach(() => db.drop());

/** Gas at 10 gwei, tipped 2.5 gwei, or 7.5 gwei to be fast. */
const aGasPriceSample = async (): Promise<string | undefined> => {
  const [row] = await query<{ id: string }>(
    database,
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
     values ($1, $2, $3, $4, now()) returning id`,
    [chain.chainRef, 10n * GWEI, 2_500_000_000n, 7_500_000_000n],
  );
  return row?.id;
};
const quote = (more: Partial<FeeQuery> = {}) =>
  database.transaction((tx) =>
    quotes.quote(tx, {
      chainRef: chain.chainRef,
      environment: 'sandbox',
      network: 'ethereum',
      token: chain,
      strategy: 'standard',
      opensAccount: null,
      ...more,
    }),
  );

it('is the gas of a transfer, by the prices of the coin and of the token', async () => {
  const sampleId = await aGasPriceSample();
  await aPriceSnapshot(database, { ETH: '3000', USDC: '1' });
  // 65,000 gas at 15 gwei are 0.000975 ETH: 2.925 USD; at 20 gwei 3.90 USD.
  await expect(quote()).resolves.toEqual({ networkFeeCents: 293n, feeUnits: 2_930_000n, sampleId });
  await expect(quote({ strategy: 'fast' })).resolves.toMatchObject({ networkFeeCents: 390n });
});

it('needs no price where the coin itself is paid', async () => {
  const sampleId = await aGasPriceSample();
  const fee = { networkFeeCents: 45_000n, feeUnits: 450_000n * GWEI, sampleId };
  await expect(quote({ token: COIN })).resolves.toEqual(fee);
});

it('[I-122] is unavailable without fresh gas prices or token prices', async () => {
  await expect(quote()).rejects.toMatchObject({ code: 'network_unavailable', details: { retryAfterSeconds: 10 } });
  await expect(quote({ network: 'tron' })).rejects.toMatchObject({ code: 'network_unavailable' });
  await aGasPriceSample();
  await expect(quote()).rejects.toMatchObject({ code: 'price_unavailable' });
});
