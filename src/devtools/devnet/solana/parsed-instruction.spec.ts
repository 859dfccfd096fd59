import { readFileSync } from 'node:fs';
import { address, createNoopSigner, type Address, type Instruction } from '@solana/kit';
import {
  getAllocateInstruction,
  getAssignInstruction,
  getCreateAccountInstruction,
  getTransferSolInstruction,
} from '@solana-program/system';
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenInstruction,
  getGetAccountDataSizeInstruction,
  getInitializeAccount3Instruction,
  getInitializeImmutableOwnerInstruction,
  getMintToInstruction,
  getTransferInstruction,
} from '@solana-program/token';
import { z } from 'zod';
import { knownKey } from './account-key.js';
import { parsedInstruction } from './parsed-instruction.js';

const INFO = z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]));
type Info = z.infer<typeof INFO>;

const RECORDED = z
  .object({
    instructions: z.array(
      z.object({ program: z.string(), programId: z.string(), parsed: z.object({ type: z.string(), info: INFO }) }),
    ),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL('../../../../test/vectors/solana/parsed-instructions.json', import.meta.url), 'utf8'),
    ),
  ).instructions;

const at = (info: Info, name: string): Address => address(String(info[name]));
const signer = (info: Info, name: string) => createNoopSigner(at(info, name));
const amount = (info: Info, name: string): bigint => BigInt(String(info[name]));

/** The official clients encode what a node has recorded. */
const ENCODERS: Readonly<Record<string, (info: Info) => Instruction>> = {
  'system transfer': (info) =>
    getTransferSolInstruction({
      source: signer(info, 'source'),
      destination: at(info, 'destination'),
      amount: amount(info, 'lamports'),
    }),
  'system createAccount': (info) =>
    getCreateAccountInstruction({
      payer: signer(info, 'source'),
      newAccount: signer(info, 'newAccount'),
      lamports: amount(info, 'lamports'),
      space: amount(info, 'space'),
      programAddress: at(info, 'owner'),
    }),
  'system allocate': (info) =>
    getAllocateInstruction({ newAccount: signer(info, 'account'), space: amount(info, 'space') }),
  'system assign': (info) =>
    getAssignInstruction({ account: signer(info, 'account'), programAddress: at(info, 'owner') }),
  'spl-token transfer': (info) =>
    getTransferInstruction({
      source: at(info, 'source'),
      destination: at(info, 'destination'),
      authority: signer(info, 'authority'),
      amount: amount(info, 'amount'),
    }),
  'spl-token mintTo': (info) =>
    getMintToInstruction({
      mint: at(info, 'mint'),
      token: at(info, 'account'),
      mintAuthority: signer(info, 'mintAuthority'),
      amount: amount(info, 'amount'),
    }),
  'spl-token closeAccount': (info) =>
    getCloseAccountInstruction({
      account: at(info, 'account'),
      destination: at(info, 'destination'),
      owner: signer(info, 'owner'),
    }),
  'spl-token initializeAccount3': (info) =>
    getInitializeAccount3Instruction({
      account: at(info, 'account'),
      mint: at(info, 'mint'),
      owner: at(info, 'owner'),
    }),
  'spl-token initializeImmutableOwner': (info) =>
    getInitializeImmutableOwnerInstruction({ account: at(info, 'account') }),
  'spl-token getAccountDataSize': (info) => getGetAccountDataSizeInstruction({ mint: at(info, 'mint') }),
  'spl-associated-token-account create': (info) =>
    getCreateAssociatedTokenInstruction({
      payer: signer(info, 'source'),
      ata: at(info, 'account'),
      owner: at(info, 'wallet'),
      mint: at(info, 'mint'),
    }),
};

describe('a parsed instruction', () => {
  it.each(RECORDED.map((one) => [`${one.program} ${one.parsed.type}`, one] as const))(
    '%s has the fields that a node gave it',
    (name, { parsed, program, programId }) => {
      const { accounts = [], data = new Uint8Array() } = ENCODERS[name]?.(parsed.info) ?? {};
      const keys = accounts.map((account) => knownKey(account.address));
      const answer = parsedInstruction({ program: knownKey(programId), accounts: keys, data: Uint8Array.from(data) });
      const asJson = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
      expect(JSON.parse(JSON.stringify(answer, asJson))).toEqual({ parsed, program, programId });
    },
  );

  it('of a program or a kind that is not known has its accounts, and no fields', () => {
    const program = knownKey('ComputeBudget111111111111111111111111111111');
    const system = knownKey('11111111111111111111111111111111');
    for (const [one, data] of [
      [program, [2, 0, 0, 0, 0]],
      [system, [99, 0, 0, 0]],
      [system, [2, 0]],
    ] as const) {
      expect(parsedInstruction({ program: one, accounts: [system], data: Uint8Array.from(data) })).toMatchObject({
        accounts: ['11111111111111111111111111111111'],
      });
    }
  });
});
