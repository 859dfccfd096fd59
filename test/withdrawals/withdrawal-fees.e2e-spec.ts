import { z } from 'zod';
import { formatUnits } from '../../src/domain/money.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { refusalOf } from '../http/refusal.js';
import { addKey, addMerchant } from '../http/tenants.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import type { World } from '../support/world.js';
import { GAS, startOrderingWorld } from './ordering-world.js';
import {
  type Fields,
  fillHotWallet,
  filledPocket,
  freezeMerchant,
  pocketOn,
  previewOf,
  setGas,
  untilBroadcast,
  untilEnded,
  withdraw,
} from './withdrawals.js';

const GWEI = 10n ** 9n;

let world: World;
let api: ApiClient;
let pocket: PocketObject;
beforeAll(async () => {
  ({ world, api, pocket } = await startOrderingWorld());
});
afterAll(() => world.stop());
afterEach(() => expectBooksInOrder(world.database));

const dryRun = (fields: Fields, from = pocket) => previewOf(api, from.id, fields);
const refused = async (fields: Fields) => refusalOf(await withdraw(api, pocket.id, fields));

describe('the fee', () => {
  it('is shown before the order and charged as shown, in minor units of the coin; fast costs more, and tips more [spec 2.2 network_fee_cents] [spec 4.6 fee_strategy]', async () => {
    // 65,000 gas for a token, 30,000 for a coin; POL is 0.50 USD.
    const tokenFee = { standard: 10, fast: 12 };
    const coinFee = { standard: 9_000_000, fast: 10_500_000 };
    const coins = await pocketOn(api, 'polygon', 'POL');
    for (const strategy of ['standard', 'fast'] as const) {
      expect((await dryRun({ fee_strategy: strategy })).network_fee_cents).toBe(tokenFee[strategy]);
      expect((await dryRun({ fee_strategy: strategy }, coins)).network_fee_cents).toBe(coinFee[strategy]);
    }
    expect((await dryRun({})).fee_strategy).toBe('standard');
    await fillHotWallet(world);
    const payer = await addKey(world, await addMerchant(world, 'In a hurry'), 'sandbox');
    const rich = await filledPocket(world, { api: payer });
    for (const [strategy, tip] of [
      ['standard', 500n],
      ['fast', 1_000n],
    ] as const) {
      const { body } = await withdraw(payer, rich.id, { fee_strategy: strategy });
      expect(body).toMatchObject({ network_fee_cents: tokenFee[strategy], fee_strategy: strategy });
      const { tx_hash } = await untilBroadcast(payer, body.id);
      const signed = z.object({ maxPriorityFeePerGas: z.string() });
      const sent = await world.chain('polygon').ask(signed, 'eth_getTransactionByHash', tx_hash);
      expect(BigInt(sent.maxPriorityFeePerGas)).toBe(tip * GWEI);
      await untilEnded(payer, body.id, 'completed');
    }
    expect((await pocketOn(payer, 'polygon')).available_cents).toBe(100_000 - 2_000 - 10 - 12);
  });

  it('stays as it was at the order, whatever gas costs at the signature [I-122]', async () => {
    const merchantId = await addMerchant(world, 'Held up');
    const payer = await addKey(world, merchantId, 'sandbox');
    const rich = await filledPocket(world, { api: payer });
    await freezeMerchant(world.database, merchantId, 'Until gas costs more.');
    const { body } = await withdraw(payer, rich.id, {});
    await setGas(world.database, 'polygon', { ...GAS, baseFee: 4_000n });
    expect((await previewOf(payer, rich.id, {})).network_fee_cents).toBeGreaterThan(body.network_fee_cents);
    await freezeMerchant(world.database, merchantId, null);
    expect(await untilEnded(payer, body.id, 'completed')).toMatchObject({ network_fee_cents: 10 });
    expect((await pocketOn(payer, 'polygon')).available_cents).toBe(100_000 - 1_000 - 10);
    await setGas(world.database, 'polygon', GAS);
  });

  it('is included: the pocket must hold amount and fee together [spec 7 insufficient_balance]', async () => {
    const refusal = { status: 400, code: 'insufficient_balance', param: 'amount_cents' };
    expect(await refused({ amount_cents: 100_000 })).toEqual(refusal);
    expect(await refused({ amount_cents: 99_991 })).toEqual(refusal);
    expect(await refused({ amount_cents: 99_989, fee_strategy: 'fast' })).toEqual(refusal);
    expect(await dryRun({ amount_cents: 99_990 })).toMatchObject({ would_succeed: true, failing_checks: [] });
    expect((await dryRun({ amount_cents: 99_991 })).failing_checks).toEqual([
      {
        code: 'insufficient_balance',
        param: 'amount_cents',
        message: 'The pocket has 1000 USDC available; the amount and the network fee need 1000.01 USDC.',
      },
    ]);
  });

  it('is named in the token of the pocket, also where a minor unit is no cent', async () => {
    const coins = await pocketOn(api, 'polygon', 'POL');
    const { network_fee_cents: fee, failing_checks: failing } = await dryRun({ amount_cents: 1_000 }, coins);
    const needed = formatUnits(1_000n + BigInt(fee ?? 0), 8);
    expect(failing.map(({ message }) => message)).toEqual([
      `The pocket has 0 POL available; the amount and the network fee need ${needed} POL.`,
    ]);
  });
});
