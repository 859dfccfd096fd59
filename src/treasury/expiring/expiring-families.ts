import type { AddressFamily } from '../../domain/network.js';

/** Families without account nonces: a transaction excludes no other, and expires. */
export const EXPIRING_FAMILIES: readonly AddressFamily[] = ['solana', 'tron'];
