import { NATIVE_COIN } from '../../domain/network.js';
import { raw } from '../../platform/sql/sql.js';

/** The contract of a chain's own coin. It is no value, so that a generic plan can use the indexes on these rows alone. */
export const nativeCoin = raw(`'${NATIVE_COIN}'`);
