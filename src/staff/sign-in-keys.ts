import { networkOf } from './client.js';
import { hashOf } from './secret-token.js';

/** The key under which failed sign-ins of an account are counted, whether it exists or not. */
export const accountKeyOf = (email: string): string => hashOf(`account:${email}`);

/** The same for the network of an address. */
export const networkKeyOf = (address: string): string => hashOf(`network:${networkOf(address)}`);
