import { NETWORKS, addressFamilyOf } from '../domain/network.js';
import { parseAnyDestination, parseDestination } from './destinations.js';

const ADDRESSES = {
  evm: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  solana: 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
  tron: 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre',
} as const;
const FAMILIES = ['evm', 'solana', 'tron'] as const;
const OWNERS = { evm: 'Ethereum and its like', solana: 'solana', tron: 'tron' };

const pairs = NETWORKS.flatMap((network) => FAMILIES.map((family) => [family, network] as const));

it.each(pairs)('an address of %s on %s is a destination only if the network is of its family', (family, network) => {
  const parsed = parseDestination(network, ADDRESSES[family]);
  if (family === addressFamilyOf(network)) {
    expect(parsed).toEqual({
      shown: ADDRESSES[family],
      key: family === 'evm' ? ADDRESSES.evm.toLowerCase() : ADDRESSES[family],
    });
    expect(parseAnyDestination(ADDRESSES[family])).toEqual(parsed);
  } else {
    const refusal = `The destination is an address of ${OWNERS[family]}, and the payment is on ${network}.`;
    expect(parsed).toEqual({ refusal });
  }
});

const INVALID = 'is not a valid address of the network';

it.each<[what: string, text: string, refusal: string]>([
  ['nothing', '', INVALID],
  ['31 bytes', '1'.repeat(31), INVALID],
  ['33 bytes', '1'.repeat(33), INVALID],
  ['32 bytes with a zero in front', `1${ADDRESSES.solana}`, INVALID],
  ['a number that is larger than 32 bytes', 'z'.repeat(44), INVALID],
  ['an address with a letter missing', ADDRESSES.solana.slice(0, -1), INVALID],
  ['an address with a space', `${ADDRESSES.solana} `, INVALID],
  ['an address with a line break', `${ADDRESSES.solana}\n`, INVALID],
  ['an address with a letter that base58 has not', ADDRESSES.solana.replace('o', '0'), INVALID],
  ['an address of Bitcoin', '123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX', INVALID],
  ['a name', 'toly.sol', INVALID],
  ['the system program', '11111111111111111111111111111111', 'a program or a system account'],
  ['a sysvar', 'SysvarRent111111111111111111111111111111111', 'a program or a system account'],
  ['the vote program', 'Vote111111111111111111111111111111111111111', 'a program or a system account'],
  ['the incinerator', '1nc1nerator11111111111111111111111111111111', 'a program or a system account'],
  ['the mint of wrapped SOL', 'So11111111111111111111111111111111111111112', 'a program or a system account'],
  ['the token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'a program or a system account'],
  ['Token-2022', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'a program or a system account'],
  // That of ADDRESSES.solana for the USDC of the main network.
  ['an associated token account', '8XXncUd6hJ6JUbVm124sDVwRwNKKZK1A4Yb4Wp7uCTyC', 'no private key'],
  // The authority of Raydium's pools.
  ['the vault of a program', '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1', 'no private key'],
])('%s is no destination on solana, and the refusal says why', (_what, text, refusal) => {
  expect(parseDestination('solana', text)).toEqual({ refusal: expect.stringContaining(refusal) });
});

const IN_HEX = '41a614f803b6fd780986a42c78ec9c7f77e6ded13c';

it.each<[what: string, text: string, refusal: string]>([
  ['nothing', '', INVALID],
  ['an address with a wrong checksum', ADDRESSES.tron.replace('Lre', 'Lrf'), INVALID],
  ['an address with a letter missing', ADDRESSES.tron.slice(0, -1), INVALID],
  ['an address in other letters', ADDRESSES.tron.toLowerCase(), INVALID],
  ['an address with a space', `${ADDRESSES.tron} `, INVALID],
  ['an address with a line break', `${ADDRESSES.tron}\n`, INVALID],
  ['an address of Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', INVALID],
  ['a name', 'justin.trx', INVALID],
  ['an address in hex', IN_HEX, 'in hexadecimal form'],
  ['an address in capital hex', IN_HEX.toUpperCase(), 'in hexadecimal form'],
  ['the zero address', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'without a key'],
  // 0x...dEaD, to which tokens are burned.
  ['the address of burned tokens', 'T9yD14Nj9j7xAB4dbGeiX9h8upfCg3PBbY', 'without a key'],
  ['the black hole', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy', 'without a key'],
])('%s is no destination on tron, and the refusal says why', (_what, text, refusal) => {
  expect(parseDestination('tron', text)).toEqual({ refusal: expect.stringContaining(refusal) });
});

it.each(['0x0000000000000000000000000000000000001010', '0x000000000000000000000000000000000000dEaD'])(
  'system addresses such as %s are no destination on EVM networks',
  (text) => {
    expect(parseDestination('polygon', text)).toEqual({
      refusal: expect.stringContaining('a contract of polygon itself'),
    });
  },
);

it('a wrong checksum is no destination on EVM networks', () => {
  expect(parseDestination('bnb', ADDRESSES.evm.replace('C', 'c'))).toEqual({
    refusal: 'The destination is not a valid address of the network bnb.',
  });
});
