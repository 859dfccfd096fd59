import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { z } from 'zod';
import { signWebhook } from '../../domain/webhook-signature.js';
import { verifySignature } from './demo-signature.js';

const VECTORS = z
  .array(
    z.object({
      name: z.string(),
      payload: z.string(),
      secret: z.string(),
      now: z.number(),
      header: z.string(),
      valid: z.boolean(),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../../../test/vectors/webhook-signatures.json', import.meta.url), 'utf8')));

const NOW = 1_790_000_000;
const SECRETS = ['whsec_new', 'whsec_old'] as const;

describe("the demo's own verification of signatures", () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))(
    '[J-137] [spec 6.3] judges rightly: %s',
    (_name, vector) => {
      const verdict = verifySignature(vector.header, Buffer.from(vector.payload), vector.secret, vector.now);
      expect(verdict.valid).toBe(vector.valid);
    },
  );

  it('[J-136] [spec 6.3] accepts any body that was signed with one of two secrets, and refuses any change of one byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, flip) => {
        const body = Buffer.from(bytes);
        const header = signWebhook(SECRETS, body, NOW);
        for (const secret of SECRETS) expect(verifySignature(header, body, secret, NOW)).toEqual({ valid: true });
        const tampered = Buffer.from(body);
        tampered[at % body.length]! ^= flip;
        expect(verifySignature(header, tampered, 'whsec_new', NOW)).toEqual({
          valid: false,
          reason: 'no signature matches the body',
        });
      }),
    );
  });

  it('[J-137] never throws and never accepts a header that was not made with the secret', () => {
    const part = fc.oneof(fc.constantFrom('t=1790000000', 't=', 'v1', 'v1=', '=', ''), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(verifySignature(parts.join(','), Buffer.from('{}'), 'whsec_new', NOW).valid).toBe(false);
      }),
    );
  });

  it('shares no code with the service, so that it notices mistakes of the service', () => {
    const source = readFileSync(new URL('./demo-signature.ts', import.meta.url), 'utf8');
    expect(source.match(/from '(.*)'/g)).toEqual(["from 'node:crypto'"]);
  });
});
