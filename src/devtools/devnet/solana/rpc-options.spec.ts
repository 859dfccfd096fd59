import { address, generateKeyPairSigner, type Address, type Instruction } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { base58 } from '@scure/base';
import { z } from 'zod';
import { SolanaLab, type SignedBytes } from '../../../../test/support/solana-lab.js';

const PROCESSED = { commitment: 'processed' };
const MEMO: Instruction = {
  programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  data: new TextEncoder().encode('order 7'),
};

let lab: SolanaLab;
let to: Address;
let paid: SignedBytes;
let slot: number;

beforeAll(async () => {
  lab = await SolanaLab.open();
  to = (await generateKeyPairSigner()).address;
  const transfer = getTransferSolInstruction({ source: lab.faucet, destination: to, amount: 700_000n });
  paid = await lab.sign([transfer, MEMO]);
  await lab.land(paid);
  slot = await lab.result(z.number(), 'getSlot', PROCESSED);
  await lab.settle();
});
afterAll(() => lab.close());

describe('getBlock', () => {
  const block = (config: object) => lab.ask('getBlock', slot, { maxSupportedTransactionVersion: 0, ...config });

  it('has its transactions in the encoding that was asked for', async () => {
    expect(await block({ encoding: 'base64' })).toMatchObject({
      result: { transactions: [{ version: 0, transaction: [paid.base64, 'base64'] }] },
    });
    expect(await block({ encoding: 'base58' })).toMatchObject({
      result: { transactions: [{ transaction: [base58.encode(Buffer.from(paid.base64, 'base64')), 'base58'] }] },
    });
    const parsed = { program: 'system', parsed: { type: 'transfer', info: { destination: to, lamports: 700_000 } } };
    expect(await block({ encoding: 'jsonParsed' })).toMatchObject({
      result: {
        transactions: [
          {
            transaction: {
              message: {
                accountKeys: [
                  { pubkey: lab.faucet.address, signer: true, writable: true, source: 'transaction' },
                  { pubkey: to, signer: false, writable: true },
                  { signer: false, writable: false },
                  { signer: false, writable: false },
                ],
                instructions: [parsed, { program: 'spl-memo', parsed: 'order 7' }],
              },
            },
          },
        ],
      },
    });
  });

  it('has only the details that were asked for', async () => {
    const { result: none } = await block({ transactionDetails: 'none', rewards: false });
    expect(Object.keys(none as object).toSorted()).toEqual(
      ['blockHeight', 'blockTime', 'blockhash', 'parentSlot', 'previousBlockhash'].toSorted(),
    );
    expect(await block({ transactionDetails: 'signatures' })).toMatchObject({
      result: { signatures: [paid.signature] },
    });
    const { result: accounts } = await block({ transactionDetails: 'accounts' });
    expect(accounts).toMatchObject({
      transactions: [
        { meta: { fee: 5_000 }, transaction: { accountKeys: [{ pubkey: lab.faucet.address }, {}, {}, {}] } },
      ],
    });
    expect(JSON.stringify(accounts)).not.toContain('logMessages');
  });

  it('of slot 0 is the genesis, whose hash the chain is known by', async () => {
    expect(await lab.ask('getBlock', 0)).toMatchObject({
      result: { blockHeight: 0, blockhash: lab.chain.genesisHash, parentSlot: 0, transactions: [] },
    });
  });
});

describe('a memo', () => {
  it('is listed with the signatures of an address, with its length', async () => {
    expect(await lab.ask('getSignaturesForAddress', to)).toMatchObject({
      result: [{ memo: '[7] order 7', signature: paid.signature, slot, transactionIndex: 0 }],
    });
  });
});

describe('a transaction', () => {
  it('is taken in base58, the encoding that nodes assume', async () => {
    const { address: other } = await generateKeyPairSigner();
    const signed = await lab.signTransfer(other, 700_000n);
    const text = base58.encode(Buffer.from(signed.base64, 'base64'));
    expect(await lab.ask('sendTransaction', text, { preflightCommitment: 'processed' })).toEqual({
      result: signed.signature,
    });
  });

  it('comes from the faucet by requestAirdrop, each time another one', async () => {
    const { address: other } = await generateKeyPairSigner();
    const signatures = await Promise.all([1, 2].map(() => lab.result(z.string(), 'requestAirdrop', other, 700_000)));
    await lab.controls.mine();
    expect(new Set(signatures).size).toBe(2);
    expect(await lab.ask('getBalance', other, PROCESSED)).toMatchObject({ result: { value: 1_400_000 } });
  });
});

describe('a simulation', () => {
  const simulate = (base64: string, config: object) =>
    lab.ask('simulateTransaction', base64, { encoding: 'base64', ...PROCESSED, ...config });

  it('takes another blockhash if it is told to, and says which', async () => {
    const lifetime = await lab.lifetime();
    await lab.controls.mine(200);
    const { address: other } = await generateKeyPairSigner();
    const { base64 } = await lab.signTransfer(other, 700_000n, { lifetime });
    expect(await simulate(base64, {})).toMatchObject({ result: { value: { err: 'BlockhashNotFound', logs: [] } } });
    const { blockhash, lastValidBlockHeight } = await lab.lifetime();
    expect(await simulate(base64, { replaceRecentBlockhash: true })).toMatchObject({
      result: {
        value: {
          err: null,
          replacementBlockhash: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) },
          preBalances: [expect.any(Number), 0, 1],
          postBalances: [expect.any(Number), 700_000, 1],
        },
      },
    });
    expect(await simulate(base64, { replaceRecentBlockhash: true, sigVerify: true })).toMatchObject({
      error: { code: -32602, message: 'sigVerify may not be used with replaceRecentBlockhash' },
    });
  });

  it('verifies signatures only if it is told to', async () => {
    const { address: other } = await generateKeyPairSigner();
    const bytes = Buffer.from((await lab.signTransfer(other, 700_000n)).base64, 'base64').fill(0, 1, 65);
    const base64 = bytes.toString('base64');
    expect(await simulate(base64, {})).toMatchObject({ result: { value: { err: null } } });
    expect(await simulate(base64, { sigVerify: true })).toMatchObject({ error: { code: -32003 } });
  });

  it('has inner instructions only if it is told to', async () => {
    const { base64 } = await lab.signTransfer(to, 1n);
    expect(await simulate(base64, {})).toMatchObject({ result: { value: { innerInstructions: null } } });
    expect(await simulate(base64, { innerInstructions: true })).toMatchObject({
      result: { value: { innerInstructions: [] } },
    });
  });
});
