import { randomBytes } from 'node:crypto';
import { keyOfHash } from '../../src/chains/tron/tron-address.js';
import { addressKeyIn } from '../../src/domain/address-form.js';
import type { AddressFamily } from '../../src/domain/network.js';
import { placeholderAddress } from '../../src/domain/placeholder-address.js';

/** A hash of no content: so many bytes as EVM networks write them. */
export const randomHex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;

/** An address without a key, spelled like those of its family are stored. A placeholder of Tron has no checksum. */
export const unownedKeyIn = (family: AddressFamily): string =>
  family === 'tron' ? keyOfHash(randomBytes(20).toString('hex')) : addressKeyIn(family, placeholderAddress(family));
