import { Wallet } from 'ethers';
import { addressOf, intentWithAddress } from '../http/intents.js';
import { ProbeContract } from '../support/probe-contracts.js';
import { COIN, type PayoutLab } from './payout-lab.js';
import { RefundLab } from './refund-lab.js';

/** Of BNB, in wei. */
const COINS = 2n * COIN;

let refunds: RefundLab;
let lab: PayoutLab;

beforeAll(async () => {
  refunds = await RefundLab.open();
  lab = refunds.payouts;
  await lab.fillHotWallet({ coins: 10n * COIN });
});
afterAll(() => refunds.close());

// The case beside that of `refunds.e2e-spec.ts`.
it('a refund that its destination refuses costs nothing: the deposit is in suspense, and is paid out elsewhere [G-97]', async () => {
  const { world, testnet } = lab;
  // Coins for an intent in USDC.
  const intent = await intentWithAddress(world.api, { network: 'bnb' });
  await testnet.controls.pay({ to: addressOf(intent), token: null, amount: COINS });
  const depositId = await refunds.inSuspense(addressOf(intent));
  const sentBefore = await lab.sentByHotWallet();
  const { address: refusing } = await ProbeContract.deploy(testnet.node, 'ProbeToken', 18);
  const refused = await refunds.ordered(depositId, refusing);
  await refunds.untilFailed(refused);
  const { out } = await refunds.coffer('refunds', 'show', depositId);
  expect(out).toMatch(/^Status +failed$/m);
  expect(out).toMatch(/^Failed +destination_rejects: /m);
  expect(await refunds.gasOf(refused)).toEqual({ paid: 0n, booked: 0n });
  expect(await lab.sentByHotWallet()).toBe(sentBefore);
  expect(await testnet.controls.balance(null, refusing)).toBe(0n);
  await refunds.expectVerified();

  const destination = Wallet.createRandom().address;
  const second = await refunds.ordered(depositId, destination);
  await refunds.paid(second);
  expect(await testnet.controls.balance(null, destination)).toBe(COINS);
  expect(await lab.sentByHotWallet()).toBe(sentBefore + 1);
  const again = await refunds.coffer(
    'deposits',
    'resolve',
    depositId,
    '--to-address',
    destination,
    '--reason',
    'twice',
  );
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('return') });
  await refunds.expectVerified();
});
