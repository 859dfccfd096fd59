import { readFileSync } from 'node:fs';
import { z } from 'zod';
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

describe("the demo's own verification of signatures", () => {
  it.each(VECTORS.map((vector) => [vector.name, vector] as const))('[spec 6.3] judges rightly: %s', (_name, vector) => {
    const verdict = verifySignature(vector.header, Buffer.from(vector.payload), vector.secret, vector.now);
    expect(verdict.valid).toBe(vector.valid);
  });

  it('shares no code with the service, so that it can notice its mistakes', () => {
    const source = readFileSync(new URL('./demo-signature.ts', import.meta.url), 'utf8');
    expect(source.match(/from '(.*)'/g)).toEqual(["from 'node:crypto'"]);
  });
});
