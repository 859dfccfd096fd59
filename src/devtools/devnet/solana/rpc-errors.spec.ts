import { readFileSync } from 'node:fs';
import { generateKeyPairSigner } from '@solana/kit';
import { z } from 'zod';
import { SolanaLab, type RpcAnswer } from '../../../../test/support/solana-lab.js';

const CODES = z
  .object({
    codes: z.array(z.object({ code: z.number(), name: z.string(), message: z.string().optional() })),
    recorded: z.array(z.object({ error: z.looseObject({ code: z.number(), message: z.string() }) })),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../test/vectors/solana/rpc-errors.json', import.meta.url), 'utf8')));

const ADDRESS = 'RNfp4xTbBb4C3kcv2KqtAj8mu4YhMHxqm1Skg9uchZ7';
const FINALIZED = { commitment: 'finalized' };

let lab: SolanaLab;
let paid: string;
let paidSlot: number;
let skippedSlot: number;

beforeAll(async () => {
  lab = await SolanaLab.open();
  const { address } = await generateKeyPairSigner();
  paid = await lab.land(await lab.signTransfer(address, 700_000n));
  paidSlot = await lab.result(z.number(), 'getSlot', { commitment: 'processed' });
  skippedSlot = paidSlot + 1;
  await lab.controls.skip(2);
  await lab.controls.mine(5);
});
afterAll(() => lab.close());

/** Turns the text of a code, such as `Slot {slot} was skipped`, into an expression for all its messages. */
function patternOf(name: string): RegExp {
  const message = CODES.codes.find((code) => code.name === name)?.message ?? '';
  const [text = ''] = message.split(' | ');
  const escaped = text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, String.raw`.+`);
  return new RegExp(`^${escaped}$`);
}

function expectCode(answer: RpcAnswer, name: string, data?: unknown): void {
  const code = CODES.codes.find((one) => one.name === name)?.code;
  expect(answer.error).toEqual({ code, message: expect.any(String), ...(data !== undefined && { data }) });
  if (patternOf(name).source !== '^$') expect(answer.error?.message).toMatch(patternOf(name));
}

describe('a slot without an answer', () => {
  it('that was skipped is named as such, by the ledger or by an archive', async () => {
    for (const method of ['getBlock', 'getBlockTime']) {
      expectCode(await lab.ask(method, skippedSlot), 'SLOT_SKIPPED');
      await lab.controls.setArchive(true);
      expectCode(await lab.ask(method, skippedSlot), 'LONG_TERM_STORAGE_SLOT_SKIPPED');
      await lab.controls.setArchive(false);
    }
  });

  it('is not available before it has the commitment that is asked for', async () => {
    await lab.controls.mine();
    const head = await lab.result(z.number(), 'getSlot', { commitment: 'processed' });
    expectCode(await lab.ask('getBlock', head), 'BLOCK_NOT_AVAILABLE');
    expectCode(await lab.ask('getBlock', head - 1), 'BLOCK_NOT_AVAILABLE');
    expect(await lab.ask('getBlock', head - 1, { commitment: 'confirmed' })).toMatchObject({ result: { rewards: [] } });
    expectCode(await lab.ask('getBlockTime', head + 1_000), 'BLOCK_NOT_AVAILABLE');
  });
});

describe('a version', () => {
  it('that the caller does not support is refused in transactions and blocks, with the version to ask for', async () => {
    for (const [method, subject] of [
      ['getTransaction', paid],
      ['getBlock', paidSlot],
    ] as const) {
      const answer = await lab.ask(method, subject, { encoding: 'base64' });
      expectCode(answer, 'UNSUPPORTED_TRANSACTION_VERSION');
      const recorded = CODES.recorded.filter(({ error }) => error.message.includes('maxSupportedTransactionVersion'));
      expect(recorded.map(({ error }) => error.message)).toContain(answer.error?.message);
      expect(await lab.ask(method, subject, { maxSupportedTransactionVersion: 0 })).toHaveProperty('result');
    }
  });
});

describe('minContextSlot', () => {
  it('is refused by every call that takes it, with the slot of the commitment that was asked for', async () => {
    const slots = {
      finalized: await lab.result(z.number(), 'getSlot', FINALIZED),
      confirmed: await lab.result(z.number(), 'getSlot', { commitment: 'confirmed' }),
    };
    const calls = [
      ['getBalance', ADDRESS],
      ['getAccountInfo', ADDRESS],
      ['getMultipleAccounts', [ADDRESS]],
      ['getSignaturesForAddress', ADDRESS],
      ['getLatestBlockhash'],
      ['getSlot'],
      ['getBlockHeight'],
      ['isBlockhashValid', ADDRESS],
    ] as const;
    for (const [method, ...params] of calls) {
      for (const commitment of ['finalized', 'confirmed'] as const) {
        const contextSlot = slots[commitment];
        const answer = await lab.ask(method, ...params, { commitment, minContextSlot: contextSlot + 1 });
        expectCode(answer, 'MIN_CONTEXT_SLOT_NOT_REACHED', { contextSlot });
        const reached = await lab.ask(method, ...params, { commitment, minContextSlot: contextSlot });
        expect(reached).toHaveProperty('result');
      }
    }
  });
});

describe('a transaction that is refused', () => {
  it('has the fields of recorded refusals', async () => {
    const poor = await generateKeyPairSigner();
    const [recorded] = CODES.recorded.filter(({ error }) => error.message.endsWith('Blockhash not found'));
    const lifetime = { blockhash: ADDRESS, lastValidBlockHeight: 0n } as never;
    const answer = await lab.send(await lab.signTransfer(poor.address, 1n, { lifetime }));
    expect(answer.error).toMatchObject(recorded?.error ?? {});
  });
});

describe('history that the node does not keep', () => {
  it('is missing from all answers, and its blocks are named as cleaned up', async () => {
    const other = await SolanaLab.open();
    try {
      const { address } = await generateKeyPairSigner();
      const signature = await other.land(await other.signTransfer(address, 700_000n));
      const slot = await other.result(z.number(), 'getSlot', { commitment: 'processed' });
      await other.controls.mine(10);
      await other.controls.truncateHistory(slot + 1);
      expectCode(await other.ask('getBlock', slot, FINALIZED), 'BLOCK_CLEANED_UP');
      expect(await other.ask('getTransaction', signature, { maxSupportedTransactionVersion: 0 })).toEqual({
        result: null,
      });
      expect(await other.ask('getSignaturesForAddress', address)).toEqual({ result: [] });
      expect(await other.ask('minimumLedgerSlot')).toEqual({ result: slot + 1 });
      expect(await other.ask('getFirstAvailableBlock')).toEqual({ result: slot + 1 });
    } finally {
      await other.close();
    }
  });
});

describe('a node that is behind', () => {
  it('says so in getHealth, and takes transactions only without preflight', async () => {
    await lab.controls.setSlotsBehind(42);
    expectCode(await lab.ask('getHealth'), 'NODE_UNHEALTHY', { numSlotsBehind: 42 });
    const { address } = await generateKeyPairSigner();
    const signed = await lab.signTransfer(address, 700_000n);
    expectCode(await lab.send(signed), 'NODE_UNHEALTHY', { numSlotsBehind: 42 });
    expect(await lab.send(signed, { skipPreflight: true })).toEqual({ result: signed.signature });
    await lab.controls.setSlotsBehind(null);
    expect(await lab.ask('getHealth')).toEqual({ result: 'ok' });
  });
});

describe('parameters', () => {
  it.each([
    ['an address of the wrong length', 'getBalance', ['1111'], 'Invalid param: WrongSize'],
    ['an address in another alphabet', 'getBalance', ['0OIl'], 'Invalid param: Invalid'],
    ['a commitment that does not exist', 'getSlot', [{ commitment: 'final' }], /^Invalid params: /],
    ['no address', 'getBalance', [], /^Invalid params: /],
    [
      'a commitment without history',
      'getSignaturesForAddress',
      [ADDRESS, { commitment: 'processed' }],
      /below `confirmed`/,
    ],
    ['too many accounts', 'getMultipleAccounts', [Array(101).fill(ADDRESS)], 'Too many inputs provided; max 100'],
    ['a page that is too large', 'getSignaturesForAddress', [ADDRESS, { limit: 1_001 }], 'Invalid limit; max 1000'],
    ['too many slots', 'getBlocks', [0, 500_001], 'Slot range too large; max 500000'],
    ['an account that is no token account', 'getTokenAccountBalance', [ADDRESS], /could not find account/],
    ['a transaction that is none', 'sendTransaction', ['AAAA', { encoding: 'base64' }], /^failed to deserialize /],
    ['text that is no base64', 'sendTransaction', ['%', { encoding: 'base64' }], 'invalid base64 encoding'],
    ['a text that is too long', 'sendTransaction', ['A'.repeat(6_000)], /^base58 encoded .* too large: 6000 bytes/],
  ] as const)('are refused: %s', async (_, method, params, message) => {
    const { error } = await lab.ask(method, ...params);
    expect(error).toEqual({
      code: -32602,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('that name an unknown transaction as the begin or end of a page are refused', async () => {
    const signature = '3E6jD48LnMeNDs1QTXXunXGaqYybZKHXYdriDwqXGJbCXzVkMZNexuiGnTtUSba7PcmbKcsxKsAcBKLSmqjUKDRg';
    for (const page of [{ before: signature }, { until: signature }]) {
      const answer = await lab.ask('getSignaturesForAddress', ADDRESS, page);
      expectCode(answer, 'FILTER_TRANSACTION_NOT_FOUND');
      expect(answer.error?.message).toBe(`Transaction ${signature} not found`);
    }
  });
});

describe('a request', () => {
  const post = async (body: string): Promise<unknown> => (await fetch(lab.chain.url, { method: 'POST', body })).json();

  it('of an unknown method, or that is none, is refused by the codes of JSON-RPC', async () => {
    expectCode(await lab.ask('getRichList'), 'METHOD_NOT_FOUND');
    expectCode(await lab.ask('toString'), 'METHOD_NOT_FOUND');
    expect(await post('{')).toMatchObject({ error: { code: -32700 }, id: null });
    expect(await post('{"id":1}')).toMatchObject({ error: { code: -32600 } });
  });

  it('may be a batch, whose answers are in its order', async () => {
    const batch = ['getHealth', 'getRichList', 'getGenesisHash'].map((method, id) => ({ jsonrpc: '2.0', id, method }));
    expect(await post(JSON.stringify(batch))).toMatchObject([
      { id: 0, result: 'ok' },
      { id: 1, error: { code: -32601 } },
      { id: 2, result: lab.chain.genesisHash },
    ]);
  });

  it('fails as planned, before or after it has taken effect, and once', async () => {
    const { address } = await generateKeyPairSigner();
    const error = { code: -32603, message: 'connection reset' };
    for (const takesEffect of [false, true]) {
      const signed = await lab.signTransfer(address, 700_000n);
      await lab.controls.failNext({ method: 'sendTransaction', error, takesEffect });
      expect(await lab.send(signed)).toEqual({ error });
      await lab.controls.mine();
      const balance = takesEffect ? 700_000 : 0;
      expect(await lab.ask('getBalance', address, { commitment: 'processed' })).toMatchObject({
        result: { value: balance },
      });
    }
    expect(await lab.ask('getHealth')).toEqual({ result: 'ok' });
  });
});
