import { readFileSync } from 'node:fs';
import { generateKeyPairSigner, getBase64Encoder, type KeyPairSigner } from '@solana/kit';
import { z } from 'zod';
import { SolanaLab, type SignedBytes } from '../../../../test/support/solana-lab.js';

const RECORDED = z
  .object({ answers: z.record(z.string(), z.array(z.object({ params: z.unknown(), result: z.unknown() }))) })
  .parse(
    JSON.parse(readFileSync(new URL('../../../../test/vectors/solana/rpc-answers.json', import.meta.url), 'utf8')),
  ).answers;

const PROCESSED = { commitment: 'processed' };

let lab: SolanaLab;
let owner: KeyPairSigner;
let usdc: string;
let signed: SignedBytes;
let grant: string;
let slot: number;

beforeAll(async () => {
  lab = await SolanaLab.open();
  usdc = (await lab.controls.info()).mints['USDC'] ?? '';
  owner = await generateKeyPairSigner();
  signed = await lab.signTransfer(owner.address, 5_000_000n, { version: 'legacy' });
  await lab.land(signed);
  grant = await lab.controls.fund({ owner: owner.address, token: 'USDC', amount: 1n });
  slot = await lab.controls.mine();
  await lab.settle();
});
afterAll(() => lab.close());

/** Fields that newer nodes no longer have, or have only for other transactions. */
const NOT_OURS = new Set(['rewards[0]', 'transactions[0].meta.rewards[0]']);

/**
 * Returns the fields of a recorded answer that ours does not have, or has with another type. Nulls and empty lists
 * fit everything, and a list fits by its first element.
 */
function missing(recorded: unknown, ours: unknown, path: string): string[] {
  if (recorded === null || ours === null || NOT_OURS.has(path)) return [];
  if (Array.isArray(recorded)) {
    if (!Array.isArray(ours)) return [`${path} is no list`];
    return recorded.length === 0 || ours.length === 0 ? [] : missing(recorded[0], ours[0], `${path}[0]`);
  }
  if (typeof recorded !== typeof ours) return [`${path} is ${typeof ours}, not ${typeof recorded}`];
  if (typeof recorded !== 'object') return [];
  return Object.entries(recorded).flatMap(([name, value]) => {
    const own = (ours as Record<string, unknown>)[name];
    const place = path === '' ? name : `${path}.${name}`;
    return own === undefined && value !== null ? [`${place} is missing`] : missing(value, own ?? null, place);
  });
}

/** The same calls as the recorded ones, with the accounts and transactions of this chain. */
const CALLS: Readonly<Record<string, () => readonly unknown[] | Promise<readonly unknown[]>>> = {
  getAccountInfo: async () => [await tokenAccount(), { encoding: 'jsonParsed' }],
  getBalance: () => [owner.address],
  getBlock: () => [slot, { maxSupportedTransactionVersion: 0 }],
  getBlockHeight: () => [],
  getBlocks: () => [0, slot],
  getBlockTime: () => [slot],
  getEpochInfo: () => [],
  getFeeForMessage: () => [messageOf(signed), PROCESSED],
  getFirstAvailableBlock: () => [],
  getGenesisHash: () => [],
  getHealth: () => [],
  getLatestBlockhash: () => [],
  getMinimumBalanceForRentExemption: () => [100],
  getMultipleAccounts: () => [[owner.address, usdc], { encoding: 'base64' }],
  getRecentPrioritizationFees: () => [[]],
  getSignaturesForAddress: () => [owner.address],
  getSignatureStatuses: () => [[signed.signature]],
  getSlot: () => [],
  getTokenAccountBalance: async () => [await tokenAccount()],
  getTokenAccountsByOwner: () => [owner.address, { mint: usdc }, { encoding: 'base64' }],
  getTokenSupply: () => [usdc],
  getTransaction: () => [grant],
  getVersion: () => [],
  isBlockhashValid: () => [usdc],
  simulateTransaction: () => [
    signed.base64,
    { encoding: 'base64', replaceRecentBlockhash: true, accounts: { addresses: [owner.address] } },
  ],
};

async function tokenAccount(): Promise<string> {
  const schema = z.object({ value: z.tuple([z.object({ pubkey: z.string() })]) });
  return (await lab.result(schema, 'getTokenAccountsByOwner', owner.address, { mint: usdc })).value[0].pubkey;
}

/** Returns the message of a transaction with one signature, in base64. */
const messageOf = ({ base64 }: SignedBytes): string =>
  Buffer.from(
    getBase64Encoder()
      .encode(base64)
      .subarray(1 + 64),
  ).toString('base64');

describe('an answer', () => {
  it.each(Object.entries(RECORDED))('of %s has the fields of a recorded one', async (method, recorded) => {
    const params = (await CALLS[method]?.()) ?? [];
    const ours = await lab.result(z.unknown(), method, ...params);
    for (const { result } of recorded) expect(missing(result, ours, '')).toEqual([]);
  });

  it('of a transaction has the same meta in all encodings, and balances that add up to its fee', async () => {
    const META = z.looseObject({
      fee: z.number(),
      preBalances: z.array(z.number()),
      postBalances: z.array(z.number()),
      postTokenBalances: z.array(z.looseObject({ mint: z.string(), owner: z.string(), programId: z.string() })),
      innerInstructions: z.array(z.unknown()),
    });
    const metas = await Promise.all(
      ['json', 'base64', 'jsonParsed'].map(async (encoding) => {
        const { meta } = await lab.result(z.object({ meta: META }), 'getTransaction', grant, { encoding });
        const { innerInstructions: _inner, loadedAddresses: _loaded, ...rest } = meta;
        return rest;
      }),
    );
    const [meta] = metas;
    expect(metas).toEqual([meta, meta, meta]);
    const sum = (amounts: readonly number[] = []): number => amounts.reduce((total, one) => total + one, 0);
    expect(sum(meta?.preBalances) - sum(meta?.postBalances)).toBe(meta?.fee);
    expect(meta?.postTokenBalances).toMatchObject([
      { mint: usdc, owner: owner.address, uiTokenAmount: { amount: '1', decimals: 6, uiAmountString: '0.000001' } },
    ]);
  });

  it('with amounts beyond 2^53 has them as whole numbers', async () => {
    const response = await fetch(lab.chain.url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params: [usdc, { encoding: 'base64' }] }),
    });
    expect(await response.text()).toContain('"rentEpoch":18446744073709551615');
  });

  it('has the part of the data that was asked for', async () => {
    const account = await tokenAccount();
    const DATA = z.object({ value: z.tuple([z.object({ data: z.tuple([z.string(), z.literal('base64')]) })]) });
    const slice = { encoding: 'base64', dataSlice: { offset: 64, length: 45 } };
    const { value } = await lab.result(DATA, 'getMultipleAccounts', [account], slice);
    const bytes = Buffer.from(value[0].data[0], 'base64');
    // The amount, the delegate and the state.
    expect([bytes.length, bytes.readBigUInt64LE(0), bytes[44]]).toEqual([45, 1n, 1]);
  });

  it('of a simulation has the accounts after it, and the chain stays as it was', async () => {
    const { address: to } = await generateKeyPairSigner();
    const draft = await lab.signTransfer(to, 900_000n);
    const SIMULATED = z.object({
      value: z.looseObject({ accounts: z.tuple([z.looseObject({ lamports: z.number() })]) }),
    });
    const config = { encoding: 'base64', sigVerify: true, accounts: { addresses: [to] }, ...PROCESSED };
    const { value } = await lab.result(SIMULATED, 'simulateTransaction', draft.base64, config);
    expect(value.accounts[0].lamports).toBe(900_000);
    expect(await lab.ask('getBalance', to, PROCESSED)).toMatchObject({ result: { value: 0 } });
  });

  it('of a simulation on an older block has the accounts of that block', async () => {
    const wallet = await lab.newWallet(2_000_000n);
    const lifetime = await lab.lifetime();
    await lab.settle();
    await lab.land(await lab.signTransfer(lab.faucet.address, 1_000_000n, { payer: wallet }));
    const draft = await lab.signTransfer(lab.faucet.address, 1_300_000n, { payer: wallet, lifetime });
    for (const [commitment, err] of [
      ['processed', { InstructionError: [0, { Custom: 1 }] }],
      ['finalized', null],
    ] as const) {
      const answer = await lab.ask('simulateTransaction', draft.base64, { encoding: 'base64', commitment });
      expect(answer).toMatchObject({ result: { value: { err } } });
    }
  });
});

describe('getFeeForMessage', () => {
  it('is what a transaction of any version then pays, and null for an unknown blockhash', async () => {
    for (const version of ['legacy', 0] as const) {
      const wallet = await lab.newWallet();
      const transfer = await lab.signTransfer(lab.faucet.address, 1_000_000n, { payer: wallet, version });
      const FEE = z.object({ value: z.number() });
      const { value: fee } = await lab.result(FEE, 'getFeeForMessage', messageOf(transfer), PROCESSED);
      await lab.land(transfer);
      expect(await lab.ask('getBalance', wallet.address, PROCESSED)).toMatchObject({
        result: { value: 1_000_000_000 - 1_000_000 - fee },
      });
    }
    await lab.controls.mine(151);
    expect(await lab.ask('getFeeForMessage', messageOf(signed), PROCESSED)).toMatchObject({ result: { value: null } });
  });
});
