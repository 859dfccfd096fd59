import { createHash, generateKeyPairSync } from 'node:crypto';
import { encodeBase58 } from 'ethers';
import type { SeededRandom } from '../../src/devtools/chaos/seeded-random.js';

/** Version byte of Tron's addresses. */
const TRON_PREFIX = '41';

/** An address on a network to which a merchant withdraws. */
export function destinationOn(network: string, random: SeededRandom): string {
  if (network === 'solana') return solanaAddress();
  return network === 'tron' ? tronAddress(random) : random.hex(20);
}

/** The public key of a new key: only such a point is accepted. */
function solanaAddress(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return encodeBase58(Buffer.from(x, 'base64url'));
}

function tronAddress(random: SeededRandom): string {
  const payload = Buffer.from(TRON_PREFIX + random.hex(20).slice(2), 'hex');
  const sha = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
  return encodeBase58(Buffer.concat([payload, sha(sha(payload)).subarray(0, 4)]));
}
