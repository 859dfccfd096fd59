import { Wallet } from 'ethers';
import { checksumEvmAddress } from '../../src/domain/evm-address.js';
import type { PocketObject } from '../../src/ledger/pocket.schema.js';
import { refusalOf } from '../http/refusal.js';
import { eventually } from '../support/eventually.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { DESTINATION, failingIn, listedIn, pocketOn, previewOf, withdraw } from './withdrawals.js';

const NETWORKS = ['polygon', 'bnb'] as const;

let world: World;
/** It is empty: faults of a destination are reported before the balance. */
let pocket: PocketObject;
beforeAll(async () => {
  world = await startWorld({ networks: NETWORKS });
  pocket = await pocketOn(world.api, 'polygon');
});
afterAll(() => world.stop());

/** The same address in each letter case; the last one has the checksum. */
const spellingsOf = (address: string): string[] => [
  address.toLowerCase(),
  `0x${address.slice(2).toUpperCase()}`,
  checksumEvmAddress(address.toLowerCase()),
];

it('is accepted in one letter case or with the right checksum [spec 2.2 destination] [spec 4.6 destination]', async () => {
  for (const destination of [...spellingsOf(Wallet.createRandom().address), `0x${'10000'.padStart(40, '0')}`]) {
    const preview = await previewOf(world.api, pocket.id, { destination });
    expect([preview.destination, failingIn(preview)]).toEqual([destination, ['insufficient_balance']]);
  }
});

it('that cannot be paid on the network is refused, in any letter case [spec 7 address_network_mismatch] [spec 4.6 destination]', async () => {
  const tokens = NETWORKS.flatMap((network) => Object.values(world.chain(network).chain.tokens));
  const wallets = await eventually(
    async () => {
      const rows = await query<{ address: string }>(world.database, `select address from hot_wallet`);
      return rows;
    },
    (rows) => rows.length === NETWORKS.length,
  );
  expect(tokens).toHaveLength(4);
  const digits = DESTINATION.slice(2);
  const refused = [
    ...[...tokens, ...wallets].flatMap(({ address }) => spellingsOf(address)),
    `0x${'0'.repeat(40)}`,
    // Precompiles and system contracts: the first of them, that of polygon's coin, and the last address kept for more.
    ...['0001', '1010', 'ffff'].map((end) => `0x${end.padStart(40, '0')}`),
    digits,
    `0X${digits}`,
    // A typo: one capital letter too many.
    DESTINATION.replace(/[a-f]/, (letter) => letter.toUpperCase()),
    DESTINATION.slice(0, -1),
    `${DESTINATION}0`,
    ` ${DESTINATION}`,
    `${DESTINATION}\n`,
    `polygon:${DESTINATION}`,
    DESTINATION.replace('9', 'g'),
    // ICAP, a name, Tron, Solana, Bitcoin.
    'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
    'vitalik.eth',
    'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'null',
  ];
  for (const destination of refused) {
    const refusal = { status: 400, code: 'address_network_mismatch', param: 'destination' };
    const answer = await withdraw(world.api, pocket.id, { destination });
    expect([destination, refusalOf(answer)]).toEqual([destination, refusal]);
  }
});

it('on the sanctions list is refused in any letter case, whichever asset it was listed for [spec 7 address_blocked] [I-120]', async () => {
  const files = ['ETH.txt', 'USDT.txt', 'USDC.txt', 'BSC.txt'];
  const listed = new Set(files.flatMap(listedIn).filter((address) => address.startsWith('0x')));
  expect(listed.size).toBeGreaterThan(50);
  for (const destination of [...listed].flatMap(spellingsOf)) {
    const refusal = { status: 400, code: 'address_blocked', param: 'destination' };
    const answer = await withdraw(world.api, pocket.id, { destination });
    expect([destination, refusalOf(answer)]).toEqual([destination, refusal]);
  }
});
