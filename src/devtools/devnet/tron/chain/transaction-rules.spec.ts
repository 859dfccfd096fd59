import { labSignature, TronLab, trx, type LabFields, type LabKey } from '../../../../../test/support/tron-lab.js';
import { addressBytes } from '../address.js';
import { ProtoMessage } from '../wire/proto-message.js';
import { CONTRACT, RAW_DATA } from '../wire/tron-messages.js';
import { Refusal } from './refusal.js';
import { transactionOf } from './tron-transaction.js';

let lab: TronLab;
let payee: LabKey;

beforeAll(async () => {
  lab = await TronLab.create();
  payee = await lab.funded('payee', trx(1));
});

/** Pays one sun; returns why it was refused, or null. */
async function refusal(fields: LabFields): Promise<string | null> {
  try {
    await lab.pay(lab.faucet, payee, 1n, fields);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return `${error.kind}: ${error.message}`;
    throw error;
  }
}

describe('the expiration of a transaction', () => {
  const expiring = (ms: number): LabFields => ({ raw: { expiration: BigInt(lab.time + ms) } });

  it.each([
    ['before the next slot', 2_999, /^expiration/],
    ['at the next slot', 3_000, null],
    ['a day after the previous block', 86_400_000, null],
    ['later than that', 86_400_001, /^expiration/],
    ['long ago', -1, /^expiration/],
  ])('%s is decided against the time of the previous block', async (_when, ms, expected) => {
    const found = await refusal(expiring(ms));
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatch(expected);
  });

  it('removes a pending transaction silently when no block came in time', async () => {
    const id = await lab.pay(lab.faucet, payee, 5n, expiring(3_000));
    const before = lab.chain.head;
    lab.chain.dropBlocks(1, true);
    await lab.chain.settlePending();
    await lab.block(30);
    const block = await lab.block();
    expect(lab.chain.head).toBe(before + 1);
    expect(lab.chain.blocks.placeOf(id)).toBeNull();
    expect(block.transactions.map(({ transaction }) => transaction.id)).not.toContain(id);
  });
});

describe('the reference block of a transaction', () => {
  const named = (number: number, id: string): LabFields => {
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(number & 0xffff);
    return { raw: { ref_block_bytes: bytes, ref_block_hash: Buffer.from(id.slice(16, 32), 'hex') } };
  };

  it('may be any recent block, also the genesis', async () => {
    expect(await refusal(named(0, lab.chain.blocks.idOf(0)))).toBeNull();
    expect(await refusal(named(1, lab.chain.blocks.idOf(1)))).toBeNull();
  });

  it.each([
    ['another hash', (): LabFields => named(1, lab.chain.blocks.idOf(0))],
    ['a number that has not come yet', (): LabFields => named(lab.chain.head + 1, lab.chain.blocks.idOf(1))],
    ['no reference', (): LabFields => ({ raw: { ref_block_bytes: Buffer.of(), ref_block_hash: Buffer.of() } })],
  ])('is refused with %s', async (_what, fields) => {
    expect(await refusal(fields())).toMatch(/^tapos/);
  });

  it('is refused after 65,536 blocks', async () => {
    const long = await TronLab.create(1);
    const first = await long.block();
    const reference = (): LabFields => named(first.number, first.id);
    for (let made = 0; made < 65_535; made += 1) await long.block();
    await expect(long.pay(long.faucet, payee, trx(2), reference())).resolves.toHaveLength(64);
    await long.block();
    await expect(long.pay(long.faucet, payee, trx(2), reference())).rejects.toThrow('Tapos');
  });
});

describe('the signature of a transaction', () => {
  it.each([
    ['from 0', 0],
    ['from 27', 27],
  ] as const)('may count its recovery id %s', async (_from, offset) => {
    expect(await refusal({ signatures: (id) => [labSignature(id, lab.faucet, offset)] })).toBeNull();
  });

  it.each([0n, 2n])('is of the default permission %s, which is the key of the owner', async (permissionId) => {
    expect(await refusal({ permissionId })).toBeNull();
  });

  it.each([
    ['another key', (): LabFields => ({ signer: payee }), 'but it is not contained of permission'],
    ['a permission that does not exist', (): LabFields => ({ permissionId: 3n }), "permission isn't exit"],
    ['no signature', (): LabFields => ({ signatures: () => [] }), 'miss sig or contract'],
    ['64 bytes', (): LabFields => ({ signatures: () => [Buffer.alloc(64, 1)] }), 'Signature size is 64'],
    ['bytes that are of no key', (): LabFields => ({ signatures: () => [Buffer.alloc(65)] }), 'Could not recover'],
    [
      'two signatures',
      (): LabFields => ({ signatures: (id) => [0, 0].map(() => labSignature(id, lab.faucet, 0)) }),
      'Signature count is 2 more than key counts of permission : 1',
    ],
  ])('is refused when it is of %s', async (_what, fields, message) => {
    const found = await refusal(fields());
    expect(found).toMatch(/^signature/);
    expect(found).toContain(message);
  });
});

describe('a transaction', () => {
  it('is refused when it is pending, or in a block, already', async () => {
    const to = { to_address: addressBytes(payee.address), amount: 7n };
    const transaction = lab.transaction(lab.faucet, 'TransferContract', to);
    await lab.chain.accept(transaction);
    await expect(lab.chain.accept(transaction)).rejects.toMatchObject({ kind: 'duplicate' });
    await lab.block();
    await expect(lab.chain.accept(transaction)).rejects.toMatchObject({ kind: 'duplicate' });
  });

  it('is refused when it is larger than 500 KiB with the room for its results', async () => {
    const withData = (length: number): LabFields => ({ raw: { data: Buffer.alloc(length) } });
    expect(await refusal(withData(512_000 - 128 - 280))).toBeNull();
    expect(await refusal(withData(512_000))).toMatch(/^too_big: Too big transaction with result/);
  });

  it.each([
    ['no contract', 0, 'No contract!'],
    ['two contracts', 2, 'contract size should be exactly 1, this is extend feature ,actual :2'],
  ])('is refused with %s', async (_what, count, message) => {
    const { raw } = lab.transaction(lab.faucet, 'TransferContract', {
      to_address: addressBytes(payee.address),
      amount: 1n,
    });
    const [contract] = raw.messages('contract');
    if (contract === undefined) throw new Error('There is no contract.');
    const fields = Object.fromEntries(
      Object.keys(RAW_DATA).flatMap((name) => (raw.has(name) ? [[name, raw.value(name) ?? '']] : [])),
    );
    const changed = ProtoMessage.of(RAW_DATA, { ...fields, contract: Array.from({ length: count }, () => contract) });
    await expect(lab.chain.accept(transactionOf(changed, []))).rejects.toThrow(message);
  });

  it('is refused when its parameter says another type than its contract', async () => {
    const { raw } = lab.transaction(lab.faucet, 'WithdrawExpireUnfreezeContract', {});
    const [contract] = raw.messages('contract');
    const parameter = contract?.message('parameter') ?? ProtoMessage.of(CONTRACT, {});
    const mixed = ProtoMessage.of(CONTRACT, { type: 1n, parameter });
    const changed = ProtoMessage.of(RAW_DATA, { contract: [mixed] });
    await expect(lab.chain.accept(transactionOf(changed, []))).rejects.toThrow('contract type error');
  });

  it('with a memo costs the memo fee on top', async () => {
    const plain = await lab.outcome(lab.pay(lab.faucet, payee, 1n));
    const withMemo = await lab.outcome(lab.pay(lab.faucet, payee, 1n, { raw: { data: Buffer.from('order 7') } }));
    expect(withMemo.fee - withMemo.netFee).toBe(plain.fee - plain.netFee + trx(1));
  });
});
