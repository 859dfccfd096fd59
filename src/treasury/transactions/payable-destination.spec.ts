import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain } from '../../../test/support/factories.js';
import { query } from '../../../test/support/sql.js';
import { DomainError } from '../../domain/errors.js';
import type { Network } from '../../domain/network.js';
import { payableDestination } from './payable-destination.js';

/** A destination with its checksum. */
const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const LISTED = `0x${'1a'.repeat(20)}`;

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

async function codeOf(text: string, network: Network = 'polygon'): Promise<string | null> {
  const found = await payableDestination(db.database.em(), network, text);
  return found instanceof DomainError ? found.code : null;
}

it('pays nobody while there is no sanctions list', async () => {
  await expect(codeOf(STRANGER)).rejects.toMatchObject({ code: 'service_unavailable' });
});

describe('with a list', () => {
  beforeAll(async () => {
    await query(
      db.owner,
      `with list as (insert into sanctions_import (source, published_on, addresses, content_hash)
                     values ('test', now(), 1, repeat('a', 64)) returning id)
       insert into sanctioned_address (added_in, family, address_key) select id, 'evm', $1 from list`,
      [LISTED],
    );
  });

  it('pays a stranger, in the two spellings of the address', async () => {
    expect(await payableDestination(db.database.em(), 'polygon', STRANGER.toLowerCase())).toEqual({
      shown: STRANGER,
      key: STRANGER.toLowerCase(),
    });
  });

  it('refuses a listed address, whatever its letter case', async () => {
    expect(await codeOf(LISTED)).toBe('address_blocked');
    expect(await codeOf(`0x${LISTED.slice(2).toUpperCase()}`)).toBe('address_blocked');
  });

  it('pays a wallet of solana on solana alone, and refuses a mint and a listed address there', async () => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const [listed, wallet] = [
      '6RWZvypgDcHg9ysG8ptxr83cR3VeDc5aHF1CmAgTXiDb',
      'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96',
    ];
    const chain = await aChain(db.database, { network: 'solana' });
    await query(db.owner, `update chain_token set contract = $2 where chain_ref = $1`, [chain.chainRef, mint]);
    await query(
      db.owner,
      `insert into sanctioned_address (added_in, family, address_key) select max(id), 'solana', $1 from sanctions_import`,
      [listed],
    );
    expect(await codeOf(mint, 'solana')).toBe('address_network_mismatch');
    expect(await codeOf(listed, 'solana')).toBe('address_blocked');
    expect(await codeOf(wallet, 'solana')).toBeNull();
    expect(await codeOf(wallet)).toBe('address_network_mismatch');
  });

  it('pays a wallet of tron on tron alone, and refuses a contract and a listed address there, by their exact letters', async () => {
    const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    const [listed, wallet] = ['TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre'];
    const chain = await aChain(db.database, { network: 'tron' });
    await query(db.owner, `update chain_token set contract = $2 where chain_ref = $1`, [chain.chainRef, contract]);
    await query(
      db.owner,
      `insert into sanctioned_address (added_in, family, address_key) select max(id), 'tron', $1 from sanctions_import`,
      [listed],
    );
    expect(await codeOf(contract, 'tron')).toBe('address_network_mismatch');
    expect(await codeOf(listed, 'tron')).toBe('address_blocked');
    expect(await codeOf(wallet, 'tron')).toBeNull();
    expect(await codeOf(wallet)).toBe('address_network_mismatch');
    expect(await codeOf(wallet, 'solana')).toBe('address_network_mismatch');
  });

  it('refuses token contracts, hot wallets, the zero address, and what is no address', async () => {
    const chain = await aChain(db.database);
    const wallet = `0x${'5b'.repeat(20)}`;
    await query(
      db.owner,
      `insert into hot_wallet (chain_ref, address, address_key, derivation_path) values ($1, $2, $2, 'm/1')`,
      [chain.chainRef, wallet],
    );
    for (const text of [chain.contract, wallet, `0x${'0'.repeat(40)}`, 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL', '']) {
      expect([text, await codeOf(text)]).toEqual([text, 'address_network_mismatch']);
    }
  });
});
