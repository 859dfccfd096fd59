import { Transaction } from 'ethers';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { COIN, PayoutLab } from './payout-lab.js';
import { holdBack } from './payout-weather.js';
import { type SweepView, sweepsOf } from './sweeps.js';

const CENTS = 5_000;
const UNITS = 50n * COIN;
const LATE_UNITS = 30n * COIN;
const WITHIN_MS = 45_000;
const MINE_EVERY_MS = 1_000;

let lab: PayoutLab;
beforeAll(async () => {
  lab = await PayoutLab.open({ SWEEP_FEE_SHARE_BPS: '100' });
  await lab.fillHotWallet({ coins: 10n * COIN });
  // The deposit of the lab, and the contracts that sweep.
  await sweptSince(0);
});
afterAll(() => lab.close());

/** Freezes signing, or unfreezes it (null). */
const freeze = (reason: string | null): Promise<unknown> =>
  query(lab.world.database, `update hot_wallet set frozen_reason = $1`, [reason]);

/** Makes blocks until one more sweep than before has ended, and no other is open. Returns the newest. */
const sweptSince = (before: number): Promise<SweepView> =>
  eventually(async () => {
    await lab.makeFinal();
    return eventually(async () => {
      const sweeps = await sweepsOf(lab.world.database);
      const isOver = sweeps.length === before + 1 && sweeps.every(({ isFinished }) => isFinished);
      return isOver ? sweeps.at(-1) : null;
    }, MINE_EVERY_MS);
  }, WITHIN_MS);

/** Waits until the newest sweep is signed, and takes it out of the node's pool. Returns its bytes. */
async function signedAndDropped(): Promise<string> {
  const raw = await eventually(async () => {
    const sweep = (await sweepsOf(lab.world.database)).at(-1);
    return sweep?.status === 'signed' ? sweep.attempts[0] : null;
  }, WITHIN_MS);
  // Sent once, it is not sent again before the race is over.
  await eventually(() => lab.handedOver.includes(raw), WITHIN_MS);
  await holdBack(lab.world.database);
  await lab.testnet.node.send('anvil_dropTransaction', Transaction.from(raw).hash);
  return raw;
}

it('a sweep of tokens brings what arrives between its signature and its block, and each deposit is credited once', async () => {
  const { api, database } = lab.world;
  await freeze('a spec prepares a race');
  const intent = await intentWithAddress(api, { network: 'bnb', amount_cents: CENTS });
  const to = addressOf(intent);
  await lab.testnet.controls.pay({ to, token: 'USDC', amount: UNITS });
  await lab.makeFinal();
  await untilStatus(api, intent.id, 'completed');
  const pocketBefore = BigInt((await lab.pocket()).available_amount);
  await lab.mineByItself(false);
  await freeze(null);
  const raw = await signedAndDropped();

  // The payment is in the block before the sweep, and not final when the sweep takes it.
  const { controls, node } = lab.testnet;
  await controls.send({ to, token: 'USDC', amount: LATE_UNITS });
  await controls.mine();
  await node.send('eth_sendRawTransaction', raw);
  await controls.mine();
  await lab.mineByItself(true);

  const sweep = await sweptSince(1);
  expect(sweep).toMatchObject({ status: 'succeeded', items: [{ address: to.toLowerCase(), failures: 0 }] });
  expect(sweep.items[0]?.swept).toBe(UNITS + LATE_UNITS);
  expect(sweep.minedHash).toBe(Transaction.from(raw).hash);
  expect(await lab.balanceOf(to)).toBe(0n);
  await eventually(
    async () => BigInt((await lab.pocket()).available_amount) - pocketBefore,
    (added) => added === LATE_UNITS,
    WITHIN_MS,
  );
  const deposits = await query(
    database,
    `select amount, status from deposit where lower(to_address) = $1 order by block_height`,
    [to.toLowerCase()],
  );
  expect(deposits).toEqual([UNITS, LATE_UNITS].map((amount) => ({ amount: String(amount), status: 'confirmed' })));
  await lab.expectBooks();
});
