import { TronLab, trx, type LabKey } from '../../../../../test/support/tron-lab.js';
import { addressBytes } from '../address.js';

let lab: TronLab;

beforeEach(async () => {
  lab = await TronLab.create();
});

describe('a transfer of TRX', () => {
  it('moves the amount, has no energy and no result of a contract, and uses free bandwidth', async () => {
    const payee = await lab.funded('payee', trx(3));
    const payer = await lab.funded('payer', trx(10));
    const outcome = await lab.outcome(lab.pay(payer, payee, trx(2)));
    expect(lab.account(payee).balance).toBe(trx(5));
    expect(lab.account(payer).balance).toBe(trx(8));
    expect(outcome).toMatchObject({ fee: 0n, netFee: 0n, call: null });
    // As in recorded transfers, which have 265 to 269 bytes.
    expect(outcome.netUsage).toBeGreaterThan(260n);
    expect(outcome.netUsage).toBeLessThan(272n);
  });

  it('activates the recipient for 1 TRX and 0.1 TRX instead of bandwidth, free bandwidth being of no use', async () => {
    const payer = await lab.funded('payer', trx(10));
    const recipient = lab.stranger('recipient');
    const outcome = await lab.outcome(lab.pay(payer, recipient, trx(2)));
    expect(outcome).toMatchObject({ fee: 1_100_000n, netFee: 100_000n, netUsage: 0n });
    expect(lab.account(recipient)).toMatchObject({ balance: trx(2), type: 'Normal' });
    expect(lab.account(payer).balance).toBe(trx(10) - trx(2) - 1_100_000n);
  });

  it('activates by staked bandwidth, and then burns 1 TRX alone', async () => {
    const payer = await lab.funded('payer', trx(10_000));
    await lab.outcome(lab.send(payer, 'FreezeBalanceV2Contract', { frozen_balance: trx(1_000), resource: 0n }));
    const outcome = await lab.outcome(lab.pay(payer, lab.stranger('recipient'), trx(2)));
    expect(outcome).toMatchObject({ fee: trx(1), netFee: 0n });
    expect(outcome.netUsage).toBeGreaterThan(260n);
  });

  it('burns 1,000 sun per byte when the free bandwidth of the day is used, and has it back a day later', async () => {
    const payee = await lab.funded('payee', trx(1));
    const payer = await lab.funded('payer', trx(100));
    const outcomes = [];
    for (let sent = 0; sent < 3; sent += 1) outcomes.push(await lab.outcome(lab.pay(payer, payee, 1n)));
    expect(outcomes.map(({ netFee }) => netFee > 0n)).toEqual([false, false, true]);
    expect(outcomes[2]?.netFee).toBe((outcomes[0]?.netUsage ?? 0n) * 1_000n);
    await lab.block(28_800);
    expect((await lab.outcome(lab.pay(payer, payee, 1n))).netFee).toBe(0n);
  });

  it.each([
    ['to itself', (from: LabKey) => [from, 1n] as const, 'Cannot transfer TRX to yourself.'],
    ['of nothing', () => [lab.faucet, 0n] as const, 'Amount must be greater than 0.'],
    ['of less than nothing', () => [lab.faucet, -1n] as const, 'Amount must be greater than 0.'],
    ['of more than there is', () => [lab.faucet, trx(11)] as const, 'balance is not sufficient'],
    [
      'that leaves nothing for the activation',
      () => [lab.stranger('new'), trx(9)] as const,
      'balance is not sufficient',
    ],
  ])('%s is refused', async (_what, made, message) => {
    const payer = await lab.funded('payer', trx(10));
    const [to, amount] = made(payer);
    await expect(lab.pay(payer, to, amount)).rejects.toMatchObject({
      kind: 'validate',
      message: expect.stringContaining(message),
    });
  });

  it('to a contract is refused', async () => {
    await expect(lab.pay(lab.faucet, lab.chain.contracts.PayoutBox, 1n)).rejects.toThrow(
      'Cannot transfer TRX to a smartContract.',
    );
  });

  it('of an account that was never activated is refused', async () => {
    await expect(lab.pay(lab.stranger('nobody'), lab.faucet, 1n)).rejects.toThrow(/account \[T\w+\] does not exist/);
  });

  it('that can pay no bandwidth is refused for its resources', async () => {
    const payee = await lab.funded('payee', trx(1));
    const payer = await lab.funded('payer', 1_000n);
    for (let sent = 0; sent < 2; sent += 1) await lab.outcome(lab.pay(payer, payee, 1n));
    await expect(lab.pay(payer, payee, 1n)).rejects.toMatchObject({ kind: 'resource' });
  });

  it('counts what is pending: the second of two that together are too much is refused', async () => {
    const payer = await lab.funded('payer', trx(10));
    await lab.pay(payer, lab.faucet, trx(6));
    await expect(lab.pay(payer, lab.faucet, trx(6))).rejects.toThrow('balance is not sufficient');
  });
});

describe('an explicit activation', () => {
  const activating = (key: LabKey) => ({ account_address: addressBytes(key.address) });

  it('costs as much as a transfer to a new account', async () => {
    const payer = await lab.funded('payer', trx(10));
    const fresh = lab.stranger('fresh');
    const outcome = await lab.outcome(lab.send(payer, 'AccountCreateContract', activating(fresh)));
    expect(outcome).toMatchObject({ fee: 1_100_000n, netFee: 100_000n });
    expect(lab.account(fresh).balance).toBe(0n);
  });

  it('of an account that exists is refused', async () => {
    await expect(lab.send(lab.faucet, 'AccountCreateContract', activating(lab.faucet))).rejects.toThrow(
      'Account has existed',
    );
  });

  it('costs what the parameters say', async () => {
    lab.chain.change({
      parameters: { getCreateNewAccountFeeInSystemContract: 2_000_000, getCreateAccountFee: 300_000 },
    });
    const outcome = await lab.outcome(lab.pay(lab.faucet, lab.stranger('recipient'), 1n));
    expect(outcome.fee).toBe(2_300_000n);
  });
});
