import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A new secret of 256 random bits, as 43 characters of base64url: the value of a cookie, or the token of a link. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Whether a text has the form of `newToken`, so that nothing else costs a query. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** The stored form of a secret with enough random bits: SHA-256 in hex. A slow hash would add nothing to these. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
