import { type PaidMerchant, TronPayoutScene } from '../../../test/support/tron-payout-scene.js';
import { knowingNone, type TronLie } from '../../../test/support/tron-liar.js';

const DOLLAR = 1_000_000n;
const POCKET = 25n * DOLLAR;
const honest: TronLie = (_path, answer) => answer;

let scene: TronPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await TronPayoutScene.funded();
  merchants = [...(await scene.merchants(9))];
});
afterAll(() => scene.close());

function nextMerchant(): PaidMerchant {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  return merchant;
}

async function expectRefused(id: string, merchant: PaidMerchant, available = POCKET): Promise<void> {
  expect(await scene.shown(id)).toMatchObject({ status: 'failed', failure_code: 'destination_rejects' });
  expect(await scene.payouts(id)).toEqual([]);
  expect(await scene.availableTo(merchant)).toBe(available);
  expect(await scene.breaches()).toEqual([]);
}

/** The issuer of USDT takes hundredths of a percent of each transfer. */
async function setFee(basisPoints: number): Promise<void> {
  await scene.controls.setTokenFee(basisPoints, 5);
  await scene.makeFinal();
}

describe('a withdrawal on Tron fails before anything is signed', () => {
  it.each(['USDT', 'USDC'] as const)('of %s when the issuer has frozen the recipient', async (token) => {
    const merchant = await scene.merchant(token);
    const destination = await scene.freshAddress();
    await scene.controls.blacklist(token, destination);
    await scene.makeFinal();
    const { id } = await scene.order(merchant, { destination });
    await scene.sign();
    await expectRefused(id, merchant);
  });

  it('of coins to a contract, which the chain refuses', async () => {
    const merchant = await scene.merchant('TRX');
    const available = await scene.availableTo(merchant);
    const { id } = await scene.order(merchant, { destination: scene.base.contracts.PayoutBox });
    await scene.sign();
    await expectRefused(id, merchant, available);
  });
});

describe('a withdrawal of tokens to a contract on Tron', () => {
  it('is simulated and paid', async () => {
    const destination = scene.base.contracts.PayoutBox;
    const { id } = await scene.order(nextMerchant(), { destination });
    await scene.sign();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    expect(await scene.balanceOf(destination, 'USDT')).toBe(DOLLAR);
  });
});

describe('a refusal on Tron by one of two nodes', () => {
  it('is no refusal while the other one accepts the payment', async () => {
    const [first, second] = [await scene.liar(), await scene.liar()];
    first.lie = (path, answer, { function_selector: selector }) =>
      path === 'wallet/triggerconstantcontract' && String(selector).startsWith('transfer(')
        ? { result: { result: true }, transaction: { ret: [{ ret: 'FAILED' }] } }
        : answer;
    scene.workThrough([first.url, second.url]);
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: true });
    scene.workThrough();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a hot wallet of Tron that the issuer of USDT has frozen', () => {
  it('is frozen here too, and withdrawals wait until it is released', async () => {
    await scene.controls.blacklist('USDT', scene.hotWallet);
    await scene.makeFinal();
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ status: 'broadcasting', is_signed: false });
    await scene.worker.checkFreezes();
    expect(await scene.frozenReason()).toBe('The issuer of USDT has frozen the hot wallet.');
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'wallet_frozen' });
    await scene.controls.unblacklist('USDT', scene.hotWallet);
    await scene.makeFinal();
    await scene.query(`update hot_wallet set frozen_reason = null`);
    // The simulations of a worker that starts again are not paused.
    scene.workThrough();
    await scene.sign();
    await scene.sign();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
  });
});

describe('a payment on Tron that runs out of energy', () => {
  /** The payment is signed, then energy becomes ten times as dear. */
  async function failing() {
    const merchant = nextMerchant();
    const { id } = await scene.order(merchant);
    await scene.sign();
    const coins = await scene.balanceOf(scene.hotWallet, 'TRX');
    await scene.controls.setEnergyPrice(1_000);
    await scene.worker.send();
    await scene.controls.mine();
    await scene.controls.setEnergyPrice(100);
    await scene.makeFinal();
    return { id, merchant, spent: coins - (await scene.balanceOf(scene.hotWallet, 'TRX')) };
  }

  async function expectReturned({ id, merchant, spent }: Awaited<ReturnType<typeof failing>>): Promise<void> {
    const [payout] = await scene.payouts(id);
    expect(payout).toMatchObject({ status: 'reverted', fee_paid: String(spent) });
    expect(spent).toBeGreaterThan(1_000_000n);
    expect(await scene.shown(id)).toMatchObject({
      status: 'failed',
      failure_code: 'transaction_reverted',
      tx_hash: payout?.tx_hash,
    });
    expect(await scene.availableTo(merchant)).toBe(POCKET);
    expect(await scene.breaches()).toEqual([]);
  }

  it('ends failed with the money back in the pocket and what was burned booked [I-116]', async () => {
    const ended = await failing();
    await scene.worker.confirm();
    await expectReturned(ended);
  });

  it('ends so only when the second node confirms it [I-116]', async () => {
    const [first, second] = [await scene.liar(), await scene.liar()];
    scene.workThrough([first.url, second.url]);
    const ended = await failing();
    for (const [one, other] of [
      [knowingNone, honest],
      [honest, knowingNone],
    ] as const) {
      [first.lie, second.lie] = [one, other];
      await scene.worker.confirm();
      expect(await scene.shown(ended.id)).toMatchObject({ status: 'broadcasting' });
    }
    second.lie = honest;
    await scene.worker.confirm();
    await expectReturned(ended);
    scene.workThrough();
  });
});

describe('a withdrawal of USDT while its issuer takes a fee of transfers', () => {
  it('is not accepted, and one that was accepted before is not signed until the fee ends', async () => {
    const reports = () => scene.base.log.lines.filter(({ msg }) => msg.startsWith('A token is'));
    const { id } = await scene.order(nextMerchant());
    await setFee(10);
    await expect(scene.order(nextMerchant())).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringContaining('USDT on tron cannot be paid out: its issuer takes a fee'),
    });
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'token_changed' });
    const stopped = {
      level: 'error',
      token: 'USDT',
      msg: expect.stringMatching(/^A token is not paid out: its issuer takes/),
    };
    await scene.sign();
    expect(reports()).toEqual([expect.objectContaining(stopped)]);
    await setFee(0);
    await scene.readQuotes();
    await scene.sign();
    expect(reports()).toEqual([
      expect.objectContaining(stopped),
      expect.objectContaining({ level: 'info', token: 'USDT', msg: 'A token is paid out again.' }),
    ]);
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('a top-up of a hot wallet on Tron', () => {
  it('is booked once, with its amount, after the payments in flight have ended', async () => {
    const topUps = () =>
      scene.query<{ token_contract: string; amount: string }>(`select token_contract, amount from top_up order by id`);
    const compare = async () => {
      for (let round = 0; round < 2; round += 1) {
        await scene.worker.bookTopUps();
        await scene.worker.readBalances();
      }
      await scene.worker.bookTopUps();
    };
    await compare();
    const before = (await topUps()).length;
    const { id } = await scene.order(nextMerchant());
    await scene.sign();
    await scene.worker.send();
    await scene.controls.mine();
    await scene.controls.fund(scene.hotWallet, null, 7_000_000n);
    await scene.controls.fund(scene.hotWallet, 'USDT', 3_000_000n);
    await scene.makeFinal();
    await compare();
    expect(await topUps()).toHaveLength(before);
    await scene.worker.confirm();
    await compare();
    await compare();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    expect((await topUps()).slice(before)).toEqual(
      expect.arrayContaining([
        { token_contract: 'native', amount: '7000000' },
        { token_contract: scene.base.tokens.USDT, amount: '3000000' },
      ]),
    );
    expect(await topUps()).toHaveLength(before + 2);
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('a withdrawal of USDT that was signed before its issuer took a fee of transfers', () => {
  it('ends as paid: its amount has left the wallet, and the log says what arrived', async () => {
    const merchant = nextMerchant();
    const { id, destination } = await scene.order(merchant);
    await scene.sign();
    await setFee(10);
    await scene.finish();
    const [payout, ...others] = await scene.payouts(id);
    expect([payout?.status, others]).toEqual(['succeeded', []]);
    expect(await scene.shown(id)).toMatchObject({ status: 'completed', failure_code: null });
    expect(await scene.balanceOf(destination, 'USDT')).toBe(999_000n);
    expect(await scene.availableTo(merchant)).toBeLessThan(POCKET - DOLLAR);
    expect(scene.base.log.named('A payment brought its recipient less than its amount.')).toEqual([
      expect.objectContaining({ level: 'warn', transactionId: payout?.id, amount: '1000000', arrived: '999000' }),
    ]);
    expect(await scene.breaches()).toEqual([]);
  });
});
