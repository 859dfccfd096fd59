import { knownKey } from './account-key.js';

/** The programs and system accounts that the chain knows by name. */
export const SYSTEM_PROGRAM = knownKey('11111111111111111111111111111111');
export const TOKEN_PROGRAM = knownKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = knownKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ASSOCIATED_TOKEN_PROGRAM = knownKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const MEMO_PROGRAM = knownKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const MEMO_V1_PROGRAM = knownKey('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');
export const COMPUTE_BUDGET_PROGRAM = knownKey('ComputeBudget111111111111111111111111111111');
export const LOOKUP_TABLE_PROGRAM = knownKey('AddressLookupTab1e1111111111111111111111111');
const VOTE_PROGRAM = knownKey('Vote111111111111111111111111111111111111111');
export const UPGRADEABLE_LOADER = knownKey('BPFLoaderUpgradeab1e11111111111111111111111');
export const SLOT_HASHES = knownKey('SysvarS1otHashes111111111111111111111111111');
export const ED25519_PROGRAM = knownKey('Ed25519SigVerify111111111111111111111111111');
export const SECP256K1_PROGRAM = knownKey('KeccakSecp256k11111111111111111111111111111');
export const SECP256R1_PROGRAM = knownKey('Secp256r1SigVerify1111111111111111111111111');
const LOADERS = [
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
].map(knownKey);

/** Programs within the runtime: an instruction of theirs reserves fewer compute units (SIMD-0170). */
export const BUILTIN_PROGRAMS: ReadonlySet<string> = new Set([
  SYSTEM_PROGRAM,
  VOTE_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  UPGRADEABLE_LOADER,
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  ...LOADERS,
]);

export const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);
