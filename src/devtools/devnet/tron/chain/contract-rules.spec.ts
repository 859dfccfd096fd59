import { TronLab, trx, type LabKey } from '../../../../../test/support/tron-lab.js';
import { addressBytes } from '../address.js';
import { callData } from '../vm/call-data.js';
import { contractRetOf } from './execution.js';

let lab: TronLab;
let payee: LabKey;

beforeEach(async () => {
  lab = await TronLab.create();
  payee = lab.stranger('payee');
});

const transferOf = (to: LabKey, amount: bigint): [string, string, bigint] => [
  'transfer(address,uint256)',
  to.address,
  amount,
];

describe('a call of a contract', () => {
  it('transfers tokens, returns false like USDT on tron, and burns its energy', async () => {
    const outcome = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 5_000_000n)));
    expect(contractRetOf(outcome)).toBe('SUCCESS');
    expect(await lab.read('TronTether', 'balanceOf(address)', payee.address)).toBe(5_000_000n);
    expect(BigInt(`0x${Buffer.from(outcome.call?.output ?? []).toString('hex')}`)).toBe(0n);
    expect(outcome.call?.logs).toHaveLength(1);
    // The recorded first transfer of a token to an address took 29,650 energy.
    expect(outcome.call?.energy.total).toBeGreaterThan(27_000n);
    expect(outcome.call?.energy.total).toBeLessThan(31_000n);
    expect(outcome.fee).toBe((outcome.call?.energy.total ?? 0n) * 100n);
    expect(outcome.call?.energy.fee).toBe(outcome.fee);
  });

  it('activates nobody: an address with tokens has no account', async () => {
    await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    expect(lab.chain.fullState.accounts.get(payee.address)).toBeNull();
  });

  it('uses less energy for a holder, and costs what the price of energy says', async () => {
    const first = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    lab.chain.change({ parameters: { getEnergyFee: 420 } });
    const second = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    expect((first.call?.energy.total ?? 0n) - (second.call?.energy.total ?? 0n)).toBe(15_000n);
    expect(second.call?.energy.fee).toBe((second.call?.energy.total ?? 0n) * 420n);
  });

  it('costs 100 sun per energy when the price is 0', async () => {
    lab.chain.change({ parameters: { getEnergyFee: 0 } });
    const { call } = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    expect(call?.energy.fee).toBe((call?.energy.total ?? 0n) * 100n);
  });

  it('that reverts keeps nothing but its fee, and costs only what it used', async () => {
    const poor = await lab.funded('poor', trx(50));
    const outcome = await lab.outcome(lab.call(poor, 'TronTether', transferOf(payee, 1n)));
    expect(outcome.call).toMatchObject({ result: 'REVERT', logs: [], message: 'REVERT opcode executed' });
    expect(outcome.call?.energy.total).toBeLessThan(5_000n);
    expect(lab.account(poor).balance).toBe(trx(50) - outcome.fee);
  });

  it('without enough energy burns the whole fee limit', async () => {
    const raw = { fee_limit: 1_000_000n };
    const outcome = await lab.outcome(lab.call(lab.faucet, 'StorageWriter', ['write(uint256)', 50n], { raw }));
    expect(outcome.call).toMatchObject({
      result: 'OUT_OF_ENERGY',
      logs: [],
      energy: { total: 10_000n, fee: 1_000_000n },
    });
    expect(await lab.read('StorageWriter', 'written()')).toBe(0n);
  });

  it('is limited by the balance of its caller too', async () => {
    const poor = await lab.funded('poor', trx(1));
    const outcome = await lab.outcome(lab.call(poor, 'StorageWriter', ['write(uint256)', 50n]));
    expect(outcome.call).toMatchObject({ result: 'OUT_OF_ENERGY', energy: { total: 10_000n } });
    expect(lab.account(poor).balance).toBe(0n);
  });

  it('of a popular contract costs more by its factor, and shows the penalty', async () => {
    const { TronTether } = lab.chain.contracts;
    await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    const plain = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    lab.chain.change({ energyFactors: { [TronTether]: 34_000 } });
    const dear = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    const base = plain.call?.energy.total ?? 0n;
    expect(plain.call?.energy.penalty).toBe(0n);
    expect(dear.call?.energy).toMatchObject({ penalty: (base * 34n) / 10n, total: base + (base * 34n) / 10n });
  });

  it('sends TRX by an internal transaction, which activates the recipient', async () => {
    const outcome = await lab.outcome(
      lab.call(lab.faucet, 'PayoutBox', ['pay(address,uint256)', payee.address, trx(3)]),
    );
    const { PayoutBox } = lab.chain.contracts;
    expect(outcome.call?.internal).toEqual([
      {
        hash: expect.any(String),
        caller: PayoutBox,
        to: payee.address,
        value: trx(3),
        note: 'call',
        isRejected: false,
      },
    ]);
    expect(lab.account(payee)).toMatchObject({ balance: trx(3), type: 'Normal' });
  });

  it('that takes back what it forwarded shows rejected internal transactions, and moves nothing', async () => {
    const before = lab.account(lab.faucet).balance;
    const outcome = await lab.outcome(
      lab.call(lab.faucet, 'RevertingForwarder', ['forward(address)', payee.address], { value: trx(2) }),
    );
    expect(outcome.call).toMatchObject({ result: 'REVERT', internal: [{ to: payee.address, isRejected: true }] });
    expect(lab.chain.fullState.accounts.get(payee.address)).toBeNull();
    expect(lab.account(lab.faucet).balance).toBe(before - outcome.fee);
  });

  it('that takes back a token transfer leaves no log', async () => {
    const { RevertingForwarder, TronTether } = lab.chain.contracts;
    await lab.outcome(lab.call(lab.faucet, 'TronTether', ['approve(address,uint256)', RevertingForwarder, 10n]));
    const outcome = await lab.outcome(
      lab.call(lab.faucet, 'RevertingForwarder', [
        'forwardToken(address,address,uint256)',
        TronTether,
        payee.address,
        10n,
      ]),
    );
    expect(outcome.call).toMatchObject({ result: 'REVERT', logs: [] });
    expect(await lab.read('TronTether', 'balanceOf(address)', payee.address)).toBe(0n);
  });

  it.each([
    [
      'of an address without a contract',
      { contract_address: Buffer.from(`41${'00'.repeat(20)}`, 'hex') },
      {},
      'No contract',
    ],
    [
      'with a fee limit above the chain’s',
      {},
      { fee_limit: 15_000_000_001n },
      'feeLimit must be >= 0 and <= 15000000000',
    ],
    ['with a negative fee limit', {}, { fee_limit: -1n }, 'feeLimit must be >= 0'],
    ['with a negative value', { call_value: -1n }, {}, 'callValue must be >= 0'],
    ['with more TRX than there are', { call_value: 2n ** 62n }, {}, 'balance is not sufficient'],
    ['with a TRC-10 token', { call_token_value: 1n, token_id: 1_000_001n }, {}, 'TRC-10 tokens are not modelled'],
  ])('%s is refused', async (_what, fields, raw, message) => {
    const contract = { contract_address: Buffer.from(lab.chain.contracts.TronTether, 'hex') };
    await expect(
      lab.send(lab.faucet, 'TriggerSmartContract', { ...contract, ...fields }, { raw }),
    ).rejects.toMatchObject({
      kind: 'validate',
      message: expect.stringContaining(message),
    });
  });
});

describe('the test tokens', () => {
  const balanceOf = async (key: LabKey): Promise<bigint> => lab.read('TronTether', 'balanceOf(address)', key.address);
  let issuer: LabKey;

  beforeEach(() => {
    issuer = lab.devKey('minter');
  });

  it('USDT blocks a sender, who can still receive', async () => {
    await lab.outcome(lab.call(issuer, 'TronTether', ['addBlackList(address)', lab.faucet.address]));
    const outcome = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    expect(contractRetOf(outcome)).toBe('REVERT');
    const back = await lab.outcome(lab.call(issuer, 'TronTether', transferOf(lab.faucet, 1n)));
    expect(contractRetOf(back)).toBe('SUCCESS');
  });

  it('USDT takes a fee of a transfer, which arrives with its issuer by a log of its own', async () => {
    await lab.outcome(lab.call(issuer, 'TronTether', ['setParams(uint256,uint256)', 10n, 20n]));
    const outcome = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1_000_000n)));
    expect(outcome.call?.logs).toHaveLength(2);
    expect(await balanceOf(payee)).toBe(999_000n);
  });

  it('USDT that is deprecated asks the other contract, here one that has no such call', async () => {
    await lab.outcome(lab.call(issuer, 'TronTether', ['deprecate(address)', lab.chain.contracts.StorageWriter]));
    const outcome = await lab.outcome(lab.call(lab.faucet, 'TronTether', transferOf(payee, 1n)));
    expect(contractRetOf(outcome)).toBe('REVERT');
  });

  it('USDC returns true, blocks a receiver too, and can be paused', async () => {
    const usdc = async (to: LabKey) => lab.outcome(lab.call(lab.faucet, 'TronUsdCoin', transferOf(to, 1n)));
    const outcome = await usdc(payee);
    expect(BigInt(`0x${Buffer.from(outcome.call?.output ?? []).toString('hex')}`)).toBe(1n);
    await lab.outcome(lab.call(issuer, 'TronUsdCoin', ['blacklist(address)', payee.address]));
    expect(contractRetOf(await usdc(payee))).toBe('REVERT');
    await lab.outcome(lab.call(issuer, 'TronUsdCoin', ['setPaused(bool)', 1n]));
    expect(contractRetOf(await usdc(issuer))).toBe('REVERT');
  });

  it.each(['TronTether', 'TronUsdCoin'] as const)(
    '%s takes an address with its version byte before it, as some wallets send it',
    async (token) => {
      const data = Buffer.from(callData(...transferOf(payee, 7n)));
      data[15] = 0x41;
      const call = { contract_address: addressBytes(lab.chain.contracts[token]), data };
      expect(contractRetOf(await lab.outcome(lab.send(lab.faucet, 'TriggerSmartContract', call)))).toBe('SUCCESS');
      expect(await lab.read(token, 'balanceOf(address)', payee.address)).toBe(7n);
    },
  );

  it('obey their issuer alone', async () => {
    const outcome = await lab.outcome(lab.call(lab.faucet, 'TronTether', ['addBlackList(address)', payee.address]));
    expect(contractRetOf(outcome)).toBe('REVERT');
  });
});
