import { TronLab, trx, type LabKey } from '../../../../../test/support/tron-lab.js';

let lab: TronLab;
let payee: LabKey;

beforeEach(async () => {
  lab = await TronLab.create(4);
  payee = lab.stranger('payee');
});

describe('solidity', () => {
  it('follows the head at its distance, with the state of that block', async () => {
    await lab.pay(lab.faucet, payee, trx(1));
    const { number } = await lab.block();
    for (let more = 0; more < 3; more += 1) await lab.block();
    expect(lab.chain.solid).toBe(number - 1);
    expect(lab.chain.solidState.accounts.get(payee.address)).toBeNull();
    await lab.block();
    expect(lab.chain.solid).toBe(number);
    expect(lab.chain.solidState.accounts.get(payee.address)?.balance).toBe(trx(1));
    expect(lab.account(payee).balance).toBe(trx(1));
  });

  it('never falls when its distance grows, and jumps when it shrinks', async () => {
    for (let made = 0; made < 8; made += 1) await lab.block();
    lab.chain.change({ solidityDistance: 6 });
    await lab.block();
    expect(lab.chain.solid).toBe(4);
    lab.chain.change({ solidityDistance: 0 });
    await lab.block();
    expect(lab.chain.solid).toBe(lab.chain.head);
  });
});

describe('a micro-fork', () => {
  it('takes the state back, and returns the transactions to the pending ones', async () => {
    const id = await lab.pay(lab.faucet, payee, trx(1));
    const first = await lab.block();
    const second = await lab.block();
    lab.chain.dropBlocks(2, true);
    await lab.chain.settlePending();
    expect(lab.chain.head).toBe(first.number - 1);
    expect(lab.chain.blocks.byId(first.id)).toBeNull();
    expect(lab.chain.pendingTransactions.map(({ transaction }) => transaction.id)).toEqual([id]);
    const again = await lab.block(3);
    expect(again.number).toBe(first.number);
    expect([first.id, second.id]).not.toContain(again.id);
    expect(lab.chain.blocks.placeOf(id)).toEqual({ number: again.number, index: 0 });
    expect(lab.account(payee).balance).toBe(trx(1));
  });

  it('lets the transactions vanish when told so: the same one can be sent again', async () => {
    const transaction = lab.transaction(lab.faucet, 'TransferContract', {
      to_address: Buffer.from(payee.address, 'hex'),
      amount: trx(1),
    });
    await lab.chain.accept(transaction);
    await lab.block();
    lab.chain.dropBlocks(1, false);
    await lab.chain.settlePending();
    expect(lab.chain.fullState.accounts.get(payee.address)).toBeNull();
    await lab.block(2);
    expect(lab.chain.blocks.placeOf(transaction.id)).toBeNull();
    await expect(lab.chain.accept(transaction)).resolves.toBeUndefined();
  });

  it('takes the storage of contracts back', async () => {
    await lab.outcome(lab.call(lab.faucet, 'TronTether', ['transfer(address,uint256)', payee.address, 9n]));
    lab.chain.dropBlocks(1, false);
    await lab.chain.settlePending();
    expect(await lab.read('TronTether', 'balanceOf(address)', payee.address)).toBe(0n);
  });

  it('removes a transaction whose reference block was dropped', async () => {
    await lab.block();
    await lab.pay(lab.faucet, payee, trx(1));
    lab.chain.dropBlocks(1, true);
    await lab.chain.settlePending();
    expect(lab.chain.pendingTransactions).toEqual([]);
  });

  it('gives the dropped heights other ids, even when the next block comes at once', async () => {
    const dropped = [await lab.block(), await lab.block()];
    lab.chain.dropBlocks(2, true);
    const next = await lab.chain.makeBlock(lab.chain.nextBlockTime(0));
    expect(dropped.map(({ id }) => id)).not.toContain(next.id);
    expect(next.time).toBeGreaterThan(dropped[1]?.time ?? 0);
  });

  it('cannot drop a solid block', async () => {
    for (let made = 0; made < 6; made += 1) await lab.block();
    expect(() => lab.chain.dropBlocks(5, true)).toThrow('Only 4 blocks are not solid.');
    expect(() => lab.chain.dropBlocks(4, true)).not.toThrow();
  });
});
