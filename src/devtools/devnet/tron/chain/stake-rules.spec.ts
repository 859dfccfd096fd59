import { TronLab, trx, type LabKey } from '../../../../../test/support/tron-lab.js';
import { addressBytes } from '../address.js';
import type { ProtoValue } from '../wire/proto-message.js';

const ENERGY = 1n;
const BANDWIDTH = 0n;
const DAY_SLOTS = 28_800;

let lab: TronLab;
let staker: LabKey;
let receiver: LabKey;

beforeEach(async () => {
  lab = await TronLab.create();
  staker = await lab.funded('staker', trx(100_000));
  receiver = await lab.funded('receiver', trx(1));
});

const stake = async (amount: bigint, resource = ENERGY) =>
  lab.outcome(lab.send(staker, 'FreezeBalanceV2Contract', { frozen_balance: amount, resource }));

const unstake = async (amount: bigint, resource = ENERGY) =>
  lab.outcome(lab.send(staker, 'UnfreezeBalanceV2Contract', { unfreeze_balance: amount, resource }));

const to = (key: LabKey, balance: bigint, more: Readonly<Record<string, ProtoValue>> = {}) => ({
  receiver_address: addressBytes(key.address),
  balance,
  resource: ENERGY,
  ...more,
});

const delegate = async (...made: Parameters<typeof to>) =>
  lab.outcome(lab.send(staker, 'DelegateResourceContract', to(...made)));

const undelegate = async (...made: Parameters<typeof to>) =>
  lab.outcome(lab.send(staker, 'UnDelegateResourceContract', to(...made)));

/** A token transfer of the receiver, who has no TRX for its energy. */
const transferByReceiver = async () =>
  lab.outcome(lab.call(receiver, 'TronTether', ['transfer(address,uint256)', staker.address, 0n]));

describe('staked TRX', () => {
  it('leave the balance, and their energy is used before TRX are burned', async () => {
    await stake(trx(50_000));
    expect(lab.account(staker)).toMatchObject({ balance: trx(50_000), staked: { ENERGY: trx(50_000) } });
    const paid = await lab.outcome(lab.call(staker, 'TronTether', ['transfer(address,uint256)', staker.address, 0n]));
    expect(paid.call?.energy.fee).toBe(0n);
    expect(paid.call?.energy.staked).toBe(paid.call?.energy.total);
  });

  it('pay a part of the energy when they are not enough, and the rest is burned', async () => {
    // 1,000 TRX give about 9,473 energy.
    await stake(trx(1_000));
    const { call } = await lab.outcome(lab.call(staker, 'StorageWriter', ['write(uint256)', 1n]));
    expect(call?.energy.staked).toBeGreaterThan(9_400n);
    expect(call?.energy.staked).toBeLessThan(9_500n);
    expect(call?.energy.fee).toBe(((call?.energy.total ?? 0n) - (call?.energy.staked ?? 0n)) * 100n);
  });

  it('give the used energy back evenly within a day', async () => {
    await stake(trx(10_000));
    const before = lab.energyLeft(staker);
    await lab.outcome(lab.call(staker, 'StorageWriter', ['write(uint256)', 1n]));
    const used = before - lab.energyLeft(staker);
    expect(used).toBeGreaterThan(20_000n);
    await lab.block(DAY_SLOTS / 2);
    const halfUsed = before - lab.energyLeft(staker);
    expect(Number(halfUsed)).toBeGreaterThan(Number(used) * 0.45);
    expect(Number(halfUsed)).toBeLessThan(Number(used) * 0.55);
    await lab.block(DAY_SLOTS / 2);
    expect(lab.energyLeft(staker)).toBe(before);
  });

  it('come back after 14 days, by a withdrawal or with the next unstaking', async () => {
    await stake(trx(1_000));
    await unstake(trx(400));
    expect(lab.account(staker)).toMatchObject({ balance: trx(99_000), staked: { ENERGY: trx(600) } });
    await expect(lab.send(staker, 'WithdrawExpireUnfreezeContract', {})).rejects.toThrow(
      'no unFreeze balance to withdraw',
    );
    await lab.block(14 * DAY_SLOTS);
    const outcome = await lab.outcome(lab.send(staker, 'WithdrawExpireUnfreezeContract', {}));
    expect(outcome.withdrawn).toBe(trx(400));
    expect(lab.account(staker).balance).toBe(trx(99_400));
    await unstake(trx(100));
    await lab.block(14 * DAY_SLOTS);
    expect((await unstake(trx(100))).withdrawn).toBe(trx(100));
  });

  it.each([
    ['less than 1 TRX', 999_999n, 'must be greater than or equal to 1 TRX'],
    ['nothing', 0n, 'frozenBalance must be positive'],
    ['more than the balance', trx(100_001), 'must be less than or equal to accountBalance'],
  ])('are refused as %s', async (_what, amount, message) => {
    await expect(stake(amount)).rejects.toThrow(message);
  });

  it('cannot be taken back beyond the stake, nor of the other resource', async () => {
    await stake(trx(10));
    await expect(unstake(trx(11))).rejects.toThrow('Invalid unfreeze_balance, [11000000] is error');
    await expect(unstake(trx(1), BANDWIDTH)).rejects.toThrow('no frozenBalance(BANDWIDTH)');
  });

  it('can be taken back 32 times at once', async () => {
    await stake(trx(100));
    for (let times = 0; times < 32; times += 1) await unstake(trx(1));
    await expect(unstake(trx(1))).rejects.toThrow('unfreezing times is over limit');
  });
});

describe('delegated energy', () => {
  it('pays for the calls of the receiver, and goes back with what the receiver has used of it', async () => {
    await stake(trx(20_000));
    await delegate(receiver, trx(10_000));
    const outcome = await transferByReceiver();
    expect(outcome.call?.energy).toMatchObject({ fee: 0n, staked: outcome.call?.energy.total });
    const left = lab.energyLeft(staker);
    await undelegate(receiver, trx(10_000));
    expect(lab.energyLeft(receiver)).toBe(0n);
    const returned = lab.energyLeft(staker) - left;
    // The delegated half gives as much as the other, less what was used.
    expect(Number(returned)).toBeCloseTo(Number(left - (outcome.call?.energy.total ?? 0n)), -2);
    expect(lab.account(staker)).toMatchObject({ staked: { ENERGY: trx(20_000) }, delegated: { ENERGY: 0n } });
  });

  it('cannot be given to an address that was never activated', async () => {
    await stake(trx(100));
    await expect(delegate(lab.stranger('nobody'), trx(10))).rejects.toThrow(/^Account\[41\w{40}\] not exists$/);
  });

  it.each([
    ['to its owner', () => to(staker, trx(1)), 'receiverAddress must not be the same as ownerAddress'],
    ['below 1 TRX', () => to(receiver, 999_999n), 'delegateBalance must be greater than or equal to 1 TRX'],
    ['beyond the stake', () => to(receiver, trx(101)), 'less than or equal to available FreezeEnergyV2 balance'],
    ['of voting power', () => to(receiver, trx(1), { resource: 2n }), 'valid ResourceCode[BANDWIDTH、ENERGY]'],
    [
      'for longer than the chain allows',
      () => to(receiver, trx(1), { lock: true, lock_period: 864_001n }),
      'cannot exceed 864000!',
    ],
  ])('is refused %s', async (_what, fields, message) => {
    await stake(trx(100));
    await expect(lab.send(staker, 'DelegateResourceContract', fields())).rejects.toThrow(message);
  });

  it('is refused to a contract', async () => {
    await stake(trx(100));
    const contract = addressBytes(lab.chain.contracts.TronTether);
    await expect(
      lab.send(staker, 'DelegateResourceContract', { ...to(receiver, trx(1)), receiver_address: contract }),
    ).rejects.toThrow('Do not allow delegate resources to contract addresses');
  });

  it('is refused beyond what is in use', async () => {
    await stake(trx(10_000));
    await lab.outcome(lab.call(staker, 'StorageWriter', ['write(uint256)', 2n]));
    await expect(delegate(receiver, trx(10_000))).rejects.toThrow('available FreezeEnergyV2 balance');
    await expect(delegate(receiver, trx(1_000))).resolves.toBeDefined();
  });

  it('cannot be taken back beyond what was delegated, nor twice', async () => {
    await stake(trx(100));
    await expect(undelegate(receiver, trx(10))).rejects.toThrow('delegated Resource does not exist');
    await delegate(receiver, trx(10));
    await expect(undelegate(receiver, trx(11))).rejects.toThrow('request=11000000, unlock_balance=10000000');
    await undelegate(receiver, trx(10));
    await expect(undelegate(receiver, trx(10))).rejects.toThrow('delegated Resource does not exist');
  });

  it('that is locked can be taken back when the lock has ended', async () => {
    await stake(trx(100));
    await delegate(receiver, trx(10), { lock: true, lock_period: 100n });
    await expect(undelegate(receiver, trx(10))).rejects.toThrow('unlock_balance=0');
    await expect(delegate(receiver, trx(10), { lock: true, lock_period: 10n })).rejects.toThrow('remaining time');
    await lab.block(101);
    await expect(undelegate(receiver, trx(10))).resolves.toBeDefined();
  });

  it('stands aside: bandwidth is delegated apart from it', async () => {
    // The transactions of the owner use its bandwidth too.
    await stake(trx(2_000), BANDWIDTH);
    await delegate(receiver, trx(1_000), { resource: BANDWIDTH });
    expect(lab.account(receiver).acquired).toEqual({ BANDWIDTH: trx(1_000), ENERGY: 0n });
    const outcome = await lab.outcome(lab.pay(receiver, staker, 1n));
    expect(lab.account(receiver).usage.BANDWIDTH.used).toBe(outcome.netUsage);
    expect(lab.account(receiver).freeNet.used).toBe(0n);
  });
});
