import { readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import { getTransactionDecoder } from '@solana/kit';
import * as fc from 'fast-check';
import { z } from 'zod';
import { addressOf, knownKey } from './account-key.js';
import { derivedSecret, seedOfMnemonic } from './slip10.js';
import { associatedTokenAccount } from './program-address.js';
import { sanitizeFault } from './sanitize.js';
import { isFullySigned, publicKeyOf } from './signatures.js';
import { readMint, readTokenAccount } from './token-layout.js';
import { transactionAnswer } from './transaction-answer.js';
import { WireError } from './wire-reader.js';
import { decodeMessage, decodeTransaction } from './wire-transaction.js';
import { DEPOSIT_STEP, solanaDerivation } from '../../../vault/solana/solana-derivation.js';

const read = <T>(schema: z.ZodType<T>, name: string): T =>
  schema.parse(JSON.parse(readFileSync(new URL(`../../../../test/vectors/solana/${name}`, import.meta.url), 'utf8')));

const WIRE = read(
  z.object({
    transactions: z.array(
      z.object({
        base64: z.string(),
        checks: z.object({
          version: z.unknown(),
          signature0: z.string(),
          fee_payer: z.string(),
          recent_blockhash: z.string(),
        }),
      }),
    ),
    encodings: z.object({ base64: z.string(), json: z.looseObject({ signatures: z.array(z.string()) }) }),
    version1: z.array(
      z.object({
        hex: z.string(),
        fields: z.object({
          lifetimeToken: z.string(),
          staticAccounts: z.array(z.string()),
          configValues: z.array(z.object({ value: z.union([z.string(), z.number()]) })),
        }),
      }),
    ),
  }),
  'wire-transactions.json',
);
const TOKENS = read(
  z.object({
    layouts: z.array(
      z.object({ kind: z.string(), data_base64: z.string(), decoded: z.record(z.string(), z.unknown()) }),
    ),
    associated: z.array(z.object({ owner: z.string(), mint: z.string(), token_program: z.string(), ata: z.string() })),
  }),
  'token-accounts.json',
);
const bytesIn = (base64: string): Uint8Array => Buffer.from(base64, 'base64');

describe('a recorded transaction', () => {
  it.each(WIRE.transactions)('of version $checks.version is decoded as it was recorded', ({ base64, checks }) => {
    const transaction = decodeTransaction(bytesIn(base64));
    expect({
      version: transaction.version,
      signature0: base58.encode(Buffer.from(transaction.signature, 'hex')),
      fee_payer: addressOf(transaction.keys[0] ?? ''),
      recent_blockhash: addressOf(transaction.blockhash),
    }).toMatchObject({
      version: checks.version,
      signature0: checks.signature0,
      fee_payer: checks.fee_payer,
      recent_blockhash: checks.recent_blockhash,
    });
    expect(sanitizeFault(transaction)).toBeNull();
    expect(isFullySigned(transaction)).toBe(true);
  });

  it('is answered in JSON as the node answered it', () => {
    const { base64, json } = WIRE.encodings;
    const bytes = bytesIn(base64);
    const outcome = {
      error: null,
      fee: 0n,
      before: [],
      after: [],
      tokensBefore: [],
      tokensAfter: [],
      inner: [],
      logs: [],
      unitsConsumed: 0,
      returnData: null,
      loadedWritable: [],
      loadedReadonly: [],
    };
    const executed = { signature: '', bytes, slot: 0, index: 0, outcome };
    expect(transactionAnswer(executed, { encoding: 'json', maxVersion: 0 })).toMatchObject({ transaction: json });
  });
});

describe('a message of version 1', () => {
  it.each(WIRE.version1)('is decoded as its published fields', ({ hex, fields }) => {
    const message = decodeMessage(Buffer.from(hex, 'hex'));
    expect(addressOf(message.blockhash)).toBe(fields.lifetimeToken);
    expect(message.keys.map(addressOf)).toEqual(fields.staticAccounts);
    const set = Object.values(message.config ?? {}).filter((value) => value !== null);
    expect(set.map(String).toSorted()).toEqual(fields.configValues.map(({ value }) => String(value)).toSorted());
    expect(hex.slice(2 * message.blockhashOffset, 2 * message.blockhashOffset + 64)).toBe(message.blockhash);
  });
});

describe('bytes that are no transaction', () => {
  it('are refused however they were broken, and never read past their end', () => {
    const [first] = WIRE.transactions;
    const good = [...bytesIn(first?.base64 ?? ''), 0];
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, value, length) => {
        const bytes = Uint8Array.from(good.with(at, value).slice(0, length));
        let isDecoded = true;
        try {
          decodeTransaction(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
          isDecoded = false;
        }
        // What is decoded here, the official decoder takes too.
        if (isDecoded && sanitizeFault(decodeTransaction(bytes)) === null) getTransactionDecoder().decode(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('end with the last field', () => {
    const bytes = bytesIn(WIRE.encodings.base64);
    expect(() => decodeTransaction(Buffer.concat([bytes, Buffer.from([0])]))).toThrow('bytes after the transaction');
    expect(() => decodeTransaction(bytes.subarray(0, -1))).toThrow('failed to fill whole buffer');
    expect(() => decodeTransaction(new Uint8Array())).toThrow('failed to fill whole buffer');
  });
});

describe('data of the token programs', () => {
  const shown = (key: string | null): string | null => (key === null ? null : addressOf(key));

  it.each(TOKENS.layouts)(
    'of a recorded $kind is read as it was recorded',
    ({ kind, data_base64: base64, decoded }) => {
      const data = bytesIn(base64);
      const mint = readMint(data);
      const account = readTokenAccount(data);
      if (kind === 'mint') {
        expect(account).toBeNull();
        expect({
          mint_authority: shown(mint?.mintAuthority ?? null),
          supply: String(mint?.supply),
          decimals: mint?.decimals,
          freeze_authority: shown(mint?.freezeAuthority ?? null),
        }).toEqual({ ...decoded, initialized: undefined });
      } else {
        expect(mint).toBeNull();
        expect(decoded).toMatchObject({
          mint: shown(account?.mint ?? null),
          owner: shown(account?.owner ?? null),
          amount: String(account?.amount),
          state: account?.state,
        });
      }
    },
  );

  it.each(TOKENS.associated)('is at the address $ata for $owner', ({ owner, mint, token_program: program, ata }) => {
    expect(addressOf(associatedTokenAccount(knownKey(owner), knownKey(mint), knownKey(program)))).toBe(ata);
  });
});

describe('the keys of the development accounts', () => {
  it('are those that wallets derive from the published mnemonic', () => {
    const seed = seedOfMnemonic('test test test test test test test test test test test junk');
    for (const index of [0, 1, 3, 100]) {
      const { address } = solanaDerivation(seed, DEPOSIT_STEP).derive(index);
      expect(base58.encode(publicKeyOf(derivedSecret(seed, index)))).toBe(address);
    }
  });
});
