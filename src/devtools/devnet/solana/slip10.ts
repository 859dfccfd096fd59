import { createHmac, pbkdf2Sync } from 'node:crypto';

const SEED_ROUNDS = 2_048;
const SEED_BYTES = 64;
const HARDENED = 0x8000_0000;

/** Returns the seed of a mnemonic (BIP-39) without a passphrase. */
export function seedOfMnemonic(mnemonic: string): Uint8Array {
  return pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', SEED_ROUNDS, SEED_BYTES, 'sha512');
}

/** Returns the Ed25519 private key of account `index` at m/44'/501'/index'/0' (SLIP-10), as wallets derive it. */
export function derivedSecret(seed: Uint8Array, index: number): Uint8Array {
  let node = hmac(Buffer.from('ed25519 seed'), seed);
  for (const step of [44, 501, index, 0]) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(HARDENED + step);
    node = hmac(node.subarray(32), Buffer.concat([Buffer.from([0]), node.subarray(0, 32), number]));
  }
  return node.subarray(0, 32);
}

const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha512', key).update(data).digest();
