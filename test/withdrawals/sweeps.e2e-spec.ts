import { Wallet } from 'ethers';
import { z } from 'zod';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { sweepContracts } from '../../src/chains/evm/sweep-contracts.js';
import { TAMPERED_SWEEPS } from '../auditor/tampered/sweeps.js';
import { expectNamed } from '../auditor/tampering.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { runCommand } from '../support/cli-run.js';
import { query } from '../support/sql.js';
import { COIN, type PayoutLab } from './payout-lab.js';
import { SweptLab } from './swept-lab.js';

// What the chain ignores or does not mine: `sweeps.soak-spec.ts`.

const POCKET_UNITS = 10_000n * COIN;

let swept: SweptLab;
let lab: PayoutLab;

beforeAll(async () => {
  swept = await SweptLab.open();
  lab = swept.payouts;
});
afterAll(() => swept.close());
afterEach(() => lab.expectBooks());

it('a withdrawal larger than the hot wallet triggers the sweep it needs, and completes', async () => {
  const { database } = lab.world;
  const withdrawal = await lab.order(Wallet.createRandom().address, 900_000);
  await lab.waits(withdrawal.id, 'coins_missing');
  await lab.fillHotWallet({ coins: 10n * COIN });
  const completed = await swept.whileFinal(async () => {
    const shown = await lab.get(withdrawal.id);
    return shown.status === 'completed' ? shown : null;
  });
  await lab.expectArrivedOnce(completed);

  const [sweep, ...more] = await swept.sweeps();
  expect(more).toEqual([]);
  expect(sweep).toMatchObject({ reason: 'withdrawal', status: 'succeeded' });
  expect(sweep?.items).toEqual([{ token: lab.usdc, address: expect.any(String), swept: POCKET_UNITS, failures: 0 }]);
  // On the chain the address is empty, and runs the delegate of this hot wallet.
  const { delegate } = sweepContracts(lab.hotWallet);
  const address = sweep?.items[0]?.address ?? '';
  expect(await lab.balanceOf(address)).toBe(0n);
  expect(await lab.testnet.node.ask(z.string(), 'eth_getCode', address, 'latest')).toBe(
    `0xef0100${delegate.address.slice(2)}`,
  );
  // A transfer between our own addresses is not a deposit.
  expect(await query(database, `select from deposit`)).toHaveLength(1);
});

it('10 deposits above the threshold are swept in one transaction, for the planned gas', () =>
  swept.expectPlannedGas({ deposits: 10, first: 33_978, later: 16_507 }));

it('the coin is swept too, and a later payment to the address is found and counted once', async () => {
  const { api, database } = lab.world;
  await swept.freeze('a spec gathers deposits');
  const before = await swept.countSweeps();
  const intent = await intentWithAddress(api, { network: 'bnb', token: 'BNB', amount_cents: 60_000 });
  const [to, amount] = [addressOf(intent), BigInt(intent.crypto_amount ?? 0)];
  await lab.testnet.controls.pay({ to, token: null, amount });
  await lab.makeFinal();
  await untilStatus(api, intent.id, 'completed');
  await swept.freeze(null);
  const sweep = await swept.nextSweep(before);
  expect(sweep.items).toEqual([{ token: NATIVE_COIN, address: to.toLowerCase(), swept: amount, failures: 0 }]);

  // A second payment after the sweep of the first is final counts neither as a shortfall nor as a surplus.
  await lab.testnet.controls.pay({ to, token: null, amount: amount / 2n });
  const again = await swept.nextSweep(before + 1);
  expect(again.items).toEqual([{ token: NATIVE_COIN, address: to.toLowerCase(), swept: amount / 2n, failures: 0 }]);
  const deposits = await query<{ amount: string; status: string }>(
    database,
    `select amount, status from deposit where token_contract = $1 order by block_height`,
    [NATIVE_COIN],
  );
  expect(deposits).toEqual([amount, amount / 2n].map((units) => ({ amount: String(units), status: 'confirmed' })));
});

describe('the auditor', () => {
  const verify = () =>
    runCommand(['verify'], {
      DATABASE_URL: lab.world.databaseUrl,
      DATA_DIR: lab.world.dataDir,
      SANDBOX_BNB_RPC_URL: lab.testnet.url,
    });

  it('finds the sweep on the chain, and no contradiction', async () => {
    await swept.whileFinal(async () => ((await swept.sweeps()).every(({ isFinished }) => isFinished) ? true : null));
    const { out } = await verify();
    expect(out).not.toMatch(/BROKEN/);
    expect(out.match(/^ok +sandbox\/bnb: /gm)).toHaveLength(5);
  });

  it('finds a balance that left an address without a sweep', async () => {
    const { owner } = lab.world;
    const changeBy = async (units: number): Promise<void> =>
      owner.transaction(async (tx) => {
        await query(tx, `set local session_replication_role = replica`);
        await query(
          tx,
          `update sweep_item set swept = swept + ${units}
                        where swept > 100 and token_contract <> 'native' and sweep_id = (select min(sweep_id) from sweep_item)`,
        );
      });
    await changeBy(-1);
    const { out } = await verify();
    await changeBy(1);
    expect(out).toMatch(/addresses_hold_deposits: address 0x[0-9a-f]{40} holds 0 of 0x[0-9a-f]{40}, and .* leave 1\./);
  });

  it.each(TAMPERED_SWEEPS)('names %s', async (_name, statement, rule) => {
    await expectNamed(lab.world.owner, statement, rule);
  });
});
