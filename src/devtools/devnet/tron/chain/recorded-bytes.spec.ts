import { createHash } from 'node:crypto';
import { recordedBlocks, walletCoreTransactions } from '../../../../../test/support/tron-vectors.js';
import { hexBytes } from '../wire/message-json.js';
import { ProtoMessage } from '../wire/proto-message.js';
import { contractName, RAW_DATA, TRANSACTION } from '../wire/tron-messages.js';
import { blockIdOf, transactionRoot } from './block.js';
import { checkSignature } from './transaction-checks.js';
import { contractOf, decodeTransaction, transactionFromJson, transactionJson } from './tron-transaction.js';

const signed = [
  ...walletCoreTransactions().map(({ tx }) => tx),
  ...recordedBlocks().flatMap(({ block }) => block.transactions),
];
const inBlocks = new Set(recordedBlocks().flatMap(({ block }) => block.transactions.map(({ txID }) => txID)));
const modelled = signed.filter(({ raw_data_hex: hex }) => {
  const [contract] = ProtoMessage.decode(RAW_DATA, hexBytes(hex)).messages('contract');
  return contractName(contract?.int('type') ?? -1n) !== undefined;
});

/** The transaction as it is sent by `broadcasthex`. */
const wireOf = ({ raw_data_hex: hex, signature }: (typeof signed)[number]): Uint8Array =>
  ProtoMessage.of(TRANSACTION, {
    raw_data: ProtoMessage.decode(RAW_DATA, hexBytes(hex)),
    signature: signature.map(hexBytes),
  }).encode();

describe('recorded transactions', () => {
  it.each(signed)('are decoded and keep their bytes and their id: $txID', (transaction) => {
    const decoded = decodeTransaction(wireOf(transaction));
    expect(Buffer.from(decoded.raw.encode()).toString('hex')).toBe(transaction.raw_data_hex);
    expect(decoded.id).toBe(transaction.txID);
  });

  it.each(modelled)('are the same as JSON and as bytes: $txID', (transaction) => {
    const shown = transactionJson(decodeTransaction(wireOf(transaction)), false);
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)),
      );
    expect(plain(shown['raw_data'])).toEqual(transaction.raw_data);
    expect(transactionFromJson(transaction, false).id).toBe(transaction.txID);
  });

  it('are enough of them to prove something', () => {
    expect(signed.length).toBeGreaterThanOrEqual(10);
    expect(modelled.map((one) => contractOf(decodeTransaction(wireOf(one))).type)).toEqual(
      expect.arrayContaining(['TransferContract', 'UnDelegateResourceContract']),
    );
  });

  it.each(walletCoreTransactions().filter(({ tx }) => modelled.some(({ txID }) => txID === tx.txID)))(
    'are accepted when the owner has signed them, and only then: $tx.txID',
    ({ tx, checks }) => {
      const transaction = decodeTransaction(wireOf(tx));
      const check = (): void => checkSignature(transaction, contractOf(transaction));
      if (checks.signature_recovers_owner) expect(check).not.toThrow();
      else expect(check).toThrow('is signed by');
    },
  );

  it.each(modelled.filter(({ txID }) => inBlocks.has(txID)))(
    'of blocks have a valid signature, with a recovery id from 0 or from 27: $txID',
    (one) => {
      const transaction = decodeTransaction(wireOf(one));
      expect(() => checkSignature(transaction, contractOf(transaction))).not.toThrow();
    },
  );

  it('of a type that is not modelled are refused', () => {
    const others = signed.filter((one) => !modelled.includes(one));
    expect(others.length).toBeGreaterThan(0);
    for (const one of others) expect(() => contractOf(decodeTransaction(wireOf(one)))).toThrow('is not modelled');
  });
});

describe('recorded blocks', () => {
  it.each(recordedBlocks())('have the id that is computed here: $block.blockID', ({ block }) => {
    const {
      number,
      timestamp,
      parentHash,
      txTrieRoot,
      witness_address: witness,
      version,
    } = block.block_header.raw_data;
    const header = { number, time: timestamp, parentId: parentHash, transactionRoot: txTrieRoot, witness, version };
    expect(blockIdOf(header)).toBe(block.blockID);
  });

  it('have the root of their transactions that is computed here', () => {
    const complete = recordedBlocks().filter(({ network }) => network.startsWith('private'));
    expect(complete).toHaveLength(1);
    for (const { block } of complete) {
      const outcome = { fee: 0n, netUsage: 0n, netFee: 0n, call: null, withdrawn: 0n };
      const included = block.transactions.map((one) => ({ transaction: decodeTransaction(wireOf(one)), outcome }));
      expect(transactionRoot(included)).toBe(block.block_header.raw_data.txTrieRoot);
    }
  });

  it('have a root over pairs, in which a last one without a partner goes up as it is', () => {
    const outcome = { fee: 0n, netUsage: 0n, netFee: 0n, call: null, withdrawn: 0n };
    const included = signed.slice(0, 3).map((one) => ({ transaction: decodeTransaction(wireOf(one)), outcome }));
    const leaves = included.map((one) => Buffer.from(transactionRoot([one]), 'hex'));
    const hash = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
    const [a = Buffer.of(), b = Buffer.of(), c = Buffer.of()] = leaves;
    expect(transactionRoot(included)).toBe(hash(hash(a, b), c).toString('hex'));
  });
});
