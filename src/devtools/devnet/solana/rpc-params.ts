import { base58 } from '@scure/base';
import { z } from 'zod';
import { hexOf, keyOfAddress, type AccountKey } from './account-key.js';
import { COMMITMENTS } from './finality.js';
import { invalidParams } from './rpc-error.js';

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const SIGNATURE_BYTES = 64;

/** An address; its key. */
export const ADDRESS = z.string().transform((text): AccountKey => {
  const key = keyOfAddress(text);
  if (key === null) throw invalidParams(`Invalid param: ${BASE58.test(text) ? 'WrongSize' : 'Invalid'}`);
  return key;
});

/** A signature; its hex. */
export const SIGNATURE = z.string().transform((text): string => {
  const bytes = BASE58.test(text) ? base58.decode(text) : null;
  if (bytes?.length !== SIGNATURE_BYTES) {
    throw invalidParams(`Invalid param: ${bytes === null ? 'Invalid' : 'WrongSize'}`);
  }
  return hexOf(bytes);
});

export const SLOT = z.number().int().nonnegative();

/** The fields that most calls have in their last parameter. */
export const CONTEXT_FIELDS = {
  commitment: z.enum(COMMITMENTS).nullish(),
  minContextSlot: SLOT.nullish(),
};

export const CONTEXT = z.object(CONTEXT_FIELDS).nullish();

export type ContextConfig = z.infer<typeof CONTEXT>;

/** Parses the parameters of a call. @throws RpcError -32602 */
export function parseParams<T>(schema: z.ZodType<T>, params: readonly unknown[]): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw invalidParams(`Invalid params: ${issue?.message ?? 'unknown'}${place}.`);
}
