import { NATIVE_COIN } from '../../domain/network.js';

/**
 * Gas limits of a transfer. A token transfer uses about 65,000 and calls no other contract; unused gas costs nothing,
 * so its limit has room. A coin transfer calls its destination from the hot wallet, and a contract called there may
 * sweep our deposit addresses unasked (`SweepDelegate`): the 9,000 gas beyond a bare transfer let a contract wallet
 * receive coins, and are too little for the two cold addresses and the balance or the payment of a sweep (9,900 at
 * least).
 */
export const GAS_LIMIT = { token: 120_000n, coin: 30_000n } as const;

/** Returns the gas limit for simulating and signing a payment of this token (contract, or `NATIVE_COIN`). */
export const paymentGasLimit = (token: string): bigint => (token === NATIVE_COIN ? GAS_LIMIT.coin : GAS_LIMIT.token);
