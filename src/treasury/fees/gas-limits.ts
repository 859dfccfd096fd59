import { NATIVE_COIN } from '../../domain/network.js';

/**
 * What a transfer may use. A token uses about 65,000 and calls nobody, so it has room; only the gas used is paid for. A
 * coin calls its destination within a transaction of the hot wallet, where whoever is called may sweep our deposit
 * addresses unasked (`SweepDelegate`): the 9,000 beyond a bare transfer are enough for a contract wallet to take coins,
 * and not for the two cold addresses and the balance or the payment of a sweep (9,900 at least).
 */
export const GAS_LIMIT = { token: 120_000n, coin: 30_000n } as const;

/** The gas with which a payment in this token (contract, or `NATIVE_COIN`) is simulated and signed. */
export const paymentGasLimit = (token: string): bigint => (token === NATIVE_COIN ? GAS_LIMIT.coin : GAS_LIMIT.token);
