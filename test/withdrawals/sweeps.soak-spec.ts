import { Transaction } from 'ethers';
import { pooledTransactions } from '../../src/devtools/devnet/stuck-transactions.js';
import { eventually } from '../support/eventually.js';
import { FLOORED_NOW, query } from '../support/sql.js';
import { COIN, type PayoutLab } from './payout-lab.js';
import { CALM, setBaseFee } from './payout-weather.js';
import { PAID, SweptLab } from './swept-lab.js';

// The cases beside those of `sweeps.e2e-spec.ts`.

/** A base fee in wei above the offer of every first attempt, and below the cap of the network. */
const SPIKE = 5n * 10n ** 9n;

let swept: SweptLab;
let lab: PayoutLab;

beforeAll(async () => {
  swept = await SweptLab.open();
  lab = swept.payouts;
  await lab.fillHotWallet({ coins: 10n * COIN });
  // The deposit of the lab, and the contracts that sweep.
  await swept.nextSweep(0);
});
afterAll(() => swept.close());
afterEach(() => lab.expectBooks());

it('one deposit above the threshold is swept for the planned gas', () =>
  swept.expectPlannedGas({ deposits: 1, first: 63_145, later: 51_631 }));

it('an address whose authorization the chain ignores delays no other: it is tried again, and set aside in the end', async () => {
  const { database } = lab.world;
  const before = await swept.countSweeps();
  const [well = '', late = '', hopeless = ''] = await swept.paidAddresses(3);
  await query(
    database,
    `update deposit_balance set failures = 2 where address_id = (select id from pool_address where address_key = $1)`,
    [hopeless],
  );
  await lab.mineByItself(false);
  await swept.freeze(null);
  await swept.untilSigned();
  for (const address of [late, hopeless]) await lab.testnet.node.send('anvil_setNonce', address, '0x5');
  await lab.mineByItself(true);
  const sweep = await swept.nextSweep(before);
  expect(sweep.status).toBe('succeeded');
  const byAddress = new Map(sweep.items.map((item) => [item.address, item]));
  expect(byAddress.get(well)).toMatchObject({ swept: PAID, failures: 0 });
  expect(byAddress.get(late)).toMatchObject({ swept: 0n, failures: 1 });
  expect(byAddress.get(hopeless)).toMatchObject({ swept: 0n, failures: 3 });
  expect(await lab.balanceOf(late)).toBe(PAID);

  await query(database, `update deposit_balance set retry_at = ${FLOORED_NOW} where retry_at is not null`);
  const again = await swept.nextSweep(before + 1);
  expect(again.items).toEqual([{ token: lab.usdc, address: late, swept: PAID, failures: 0 }]);
  const asides = await query(
    database,
    `select address_key, set_aside_reason from deposit_balance join pool_address on id = address_id
      where set_aside_reason is not null`,
  );
  expect(asides).toEqual([{ address_key: hopeless, set_aside_reason: 'Nothing reached the hot wallet in 3 tries.' }]);
});

it('a stuck sweep is replaced with the same authorizations, and sweeps once [I-114]', async () => {
  const before = await swept.countSweeps();
  await setBaseFee(lab, CALM);
  const addresses = await swept.paidAddresses(2);
  await lab.mineByItself(false);
  await swept.freeze(null);
  await swept.untilSigned();
  await setBaseFee(lab, SPIKE);
  const { attempts } = await swept.untilSigned(2);
  const [original, replacement] = attempts.map((raw) => Transaction.from(raw));
  expect(replacement?.authorizationList).toEqual(original?.authorizationList);
  expect(replacement?.authorizationList).toHaveLength(2);
  expect(replacement?.nonce).toBe(original?.nonce);
  for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
    expect((replacement?.[field] ?? 0n) * 1000n).toBeGreaterThanOrEqual((original?.[field] ?? 0n) * 1125n);
  }
  await eventually(
    () => pooledTransactions(lab.testnet.url),
    (hashes) => hashes.includes(replacement?.hash ?? ''),
  );
  await lab.mineByItself(true);
  const sweep = await swept.nextSweep(before);
  expect(sweep.items.map((item) => item.swept)).toEqual(addresses.map(() => PAID));
  expect(sweep.minedHash).toBe(replacement?.hash);
});
