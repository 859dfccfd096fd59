import { initWasm, TW } from '@trustwallet/wallet-core';
import { TronWeb } from 'tronweb';
import { TronNodeRig } from '../../../../test/support/tron-node-rig.js';

const STRANGER = 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH';
const DAY_SLOTS = 28_800;
const FEE_LIMIT = 100_000_000;

let rig: TronNodeRig;
let usdt: string;
let tronWeb: TronWeb;

beforeEach(async () => {
  rig = await TronNodeRig.start();
  await rig.controls.setSolidityDistance(1);
  usdt = (await rig.controls.info()).tokens.USDT;
  tronWeb = new TronWeb({ fullHost: rig.url, privateKey: rig.faucet.privateKey });
});
afterEach(() => rig.remove());

type Built = Parameters<typeof tronWeb.trx.multiSign>[0];

async function signed(built: Built) {
  const transaction = await tronWeb.trx.sign(built);
  if (typeof transaction === 'string') throw new Error('A transaction was expected.');
  return transaction;
}

/** Lets a transaction become solid, and returns its info. */
async function solidInfo(id: string) {
  await rig.controls.mine(2);
  return tronWeb.trx.getTransactionInfo(id);
}

describe('tronweb, unchanged', () => {
  it('sends TRX, and reads balances of both interfaces', async () => {
    const { result, transaction } = await tronWeb.trx.sendTransaction(STRANGER, 5_000_000);
    expect(result).toBe(true);
    expect(await tronWeb.trx.getUnconfirmedBalance(STRANGER)).toBe(5_000_000);
    expect(await tronWeb.trx.getBalance(STRANGER)).toBe(0);
    const info = await solidInfo(transaction.txID);
    expect(info).toMatchObject({ id: transaction.txID, fee: 1_100_000 });
    expect(await tronWeb.trx.getBalance(STRANGER)).toBe(5_000_000);
    expect(await tronWeb.trx.getTransaction(transaction.txID)).toMatchObject({ ret: [{ contractRet: 'SUCCESS' }] });
  });

  it('transfers a token by its interface, and reads its balance', async () => {
    const token = await tronWeb.contract().at(usdt);
    const id = String(await token['transfer']?.(STRANGER, 7_000_000).send({ feeLimit: FEE_LIMIT }));
    const info = await solidInfo(id);
    expect(info.receipt).toMatchObject({ result: 'SUCCESS' });
    expect(BigInt(String(await token['balanceOf']?.(STRANGER).call()))).toBe(7_000_000n);
    expect(await token['symbol']?.().call()).toBe('USDT');
  });

  it('stakes TRX, delegates the energy, takes it back, and withdraws it after 14 days', async () => {
    const { address } = rig.faucet;
    const send = async (built: Built): Promise<void> => {
      const { result } = await tronWeb.trx.sendRawTransaction(await signed(built));
      expect(result).toBe(true);
      await rig.controls.mine();
    };
    await tronWeb.trx.sendTransaction(STRANGER, 1_000_000);
    await rig.controls.mine();
    await send(await tronWeb.transactionBuilder.freezeBalanceV2(20_000_000_000, 'ENERGY', address));
    await send(await tronWeb.transactionBuilder.delegateResource(10_000_000_000, STRANGER, 'ENERGY', address));
    const { EnergyLimit: received } = await tronWeb.trx.getAccountResources(STRANGER);
    expect(received).toBeGreaterThan(94_000);
    await send(await tronWeb.transactionBuilder.undelegateResource(10_000_000_000, STRANGER, 'ENERGY', address));
    await send(await tronWeb.transactionBuilder.unfreezeBalanceV2(20_000_000_000, 'ENERGY', address));
    expect(await tronWeb.trx.getAccountResources(STRANGER)).not.toHaveProperty('EnergyLimit');
    expect((await tronWeb.trx.getUnconfirmedAccount(address)).unfrozenV2).toHaveLength(1);
    for (let passed = 0; passed < 15; passed += 3) await rig.controls.miss(3 * DAY_SLOTS);
    await rig.controls.mine();
    await send(await tronWeb.transactionBuilder.withdrawExpireUnfreeze(address));
    expect((await tronWeb.trx.getUnconfirmedAccount(address)).unfrozenV2 ?? []).toEqual([]);
  });

  it('asks a contract for nothing, and what a call would cost', async () => {
    const parameters = [
      { type: 'address', value: STRANGER },
      { type: 'uint256', value: 1 },
    ];
    const constant = await tronWeb.transactionBuilder.triggerConstantContract(
      usdt,
      'transfer(address,uint256)',
      {},
      parameters,
    );
    const estimated = await tronWeb.transactionBuilder.estimateEnergy(
      usdt,
      'transfer(address,uint256)',
      {},
      parameters,
    );
    expect(constant.result).toMatchObject({ result: true });
    expect(constant.energy_used).toBeGreaterThan(27_000);
    expect(estimated.energy_required).toBeGreaterThanOrEqual(Number(constant.energy_used));
    const prices = await tronWeb.trx.getChainParameters();
    expect(prices).toContainEqual({ key: 'getEnergyFee', value: 100 });
  });

  it('gives equal payments on one block the same id, and other ids by other timestamps', async () => {
    const blockHeader = await tronWeb.trx.getCurrentRefBlockParams();
    const pay = async (timestamp: number) => {
      const options = { blockHeader: { ...blockHeader, timestamp } };
      const built = await tronWeb.transactionBuilder.sendTrx(STRANGER, 1, rig.faucet.address, options);
      const sent = await tronWeb.trx.sendRawTransaction(await signed(built));
      return { id: built.txID, code: sent.result ? 'SUCCESS' : sent.code };
    };
    const first = await pay(blockHeader.timestamp + 1);
    expect(await pay(blockHeader.timestamp + 1)).toEqual({ id: first.id, code: 'DUP_TRANSACTION_ERROR' });
    const other = await pay(blockHeader.timestamp + 2);
    expect(other.code).toBe('SUCCESS');
    expect(other.id).not.toBe(first.id);
  });
});

describe('Trust Wallet’s core', () => {
  /** Lets wallet-core sign for the faucet, on the head of the chain. */
  async function sign(contract: object): Promise<{ readonly id: string; readonly json: string }> {
    const core = await initWasm();
    const { block_header: header } = await tronWeb.trx.getCurrentBlock();
    const { number, txTrieRoot, witness_address: witness, parentHash, version, timestamp } = header.raw_data;
    const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
    const input = TW.Tron.Proto.SigningInput.fromObject({
      privateKey: bytes(rig.faucet.privateKey),
      transaction: {
        timestamp,
        expiration: timestamp + 60_000,
        blockHeader: {
          timestamp,
          txTrieRoot: bytes(txTrieRoot),
          parentHash: bytes(parentHash),
          number,
          witnessAddress: bytes(witness),
          version,
        },
        ...contract,
      },
    });
    const bytesOfOutput = core.AnySigner.sign(TW.Tron.Proto.SigningInput.encode(input).finish(), core.CoinType.tron);
    const output = TW.Tron.Proto.SigningOutput.decode(bytesOfOutput);
    return { id: Buffer.from(output.id).toString('hex'), json: output.json };
  }

  it.each([
    [
      'a transfer of TRX',
      () => ({ transfer: { ownerAddress: rig.faucet.address, toAddress: STRANGER, amount: 5_000_000 } }),
    ],
    [
      'a transfer of a token',
      () => ({
        feeLimit: FEE_LIMIT,
        transferTrc20Contract: {
          ownerAddress: rig.faucet.address,
          toAddress: STRANGER,
          contractAddress: usdt,
          amount: Buffer.from('4c4b40'.padStart(64, '0'), 'hex'),
        },
      }),
    ],
  ])('signs %s that is accepted under the id which it reports', async (_what, contract) => {
    const { id, json } = await sign(contract());
    expect(await rig.ask('/wallet/broadcasttransaction', JSON.parse(json))).toEqual({ result: true, txid: id });
    await rig.controls.mine();
    expect(await rig.ask('/wallet/gettransactionbyid', { value: id })).toMatchObject({
      txID: id,
      ret: [{ contractRet: 'SUCCESS' }],
    });
  });
});
