import { freshDatabase, type TestDatabase } from '../../test/support/database.js';
import { query } from '../../test/support/sql.js';
import { readFirstList } from './first-list.js';
import { ensureFirstList, type ListChange, replaceList, type ReplaceOptions } from './list-writer.js';
import { distinctAddresses, ListRefused, type PublishedList } from './published-list.js';
import { SanctionsList } from './sanctions-list.service.js';

const evm = (digit: string): string => `0x${digit.repeat(40)}`;

let db: TestDatabase;
let list: SanctionsList;
beforeEach(async () => {
  db = await freshDatabase();
  list = new SanctionsList(db.database);
});
afterEach(() => db.drop());

let made = 0;
const published = (publishedOn: string, addresses: readonly string[], name: string | null = null): PublishedList => ({
  source: 'test',
  publishedOn,
  contentHash: (++made).toString(16).padStart(64, '0'),
  addresses: distinctAddresses(addresses.map((address) => ({ address, name }))),
});

const replace = (next: PublishedList, options?: ReplaceOptions): Promise<ListChange | null> =>
  db.database.transaction((tx) => replaceList(tx, next, options));

const imports = (): Promise<unknown[]> => db.query(`select source from sanctions_import`);

describe('replaceList', () => {
  it('keeps an address that vanished, with the dates between which it was listed, and lists it again', async () => {
    expect(await replace(published('2026-01-01', [evm('a'), evm('B'), evm('c')]))).toEqual({ added: 3, removed: [] });
    expect(await replace(published('2026-02-01', [evm('b'), evm('c'), evm('d')], 'Someone'))).toEqual({
      added: 1,
      removed: [{ family: 'evm', key: evm('a') }],
    });
    await replace(published('2026-03-01', [evm('a'), evm('b'), evm('c'), evm('d')]));
    expect(await list.periodsOf(evm('A'))).toEqual([
      { name: null, since: '2026-03-01', until: null },
      { name: null, since: '2026-01-01', until: '2026-02-01' },
    ]);
    // A list without names takes no name away.
    expect(await list.periodsOf(evm('b'))).toEqual([{ name: 'Someone', since: '2026-01-01', until: null }]);
    expect(await list.status()).toMatchObject({
      source: 'test',
      publishedOn: '2026-03-01',
      addresses: { evm: 4, tron: 0, solana: 0, other: 0 },
      removed: 1,
    });
  });

  it('does nothing when it is given the current list again', async () => {
    const first = published('2026-01-01', [evm('a')]);
    await replace(first);
    expect(await replace(first)).toBeNull();
    expect(await imports()).toHaveLength(1);
  });

  it.each<[what: string, publishedOn: string, count: number, message: RegExp]>([
    ['less than half of the addresses', '2026-03-01', 4, /has 4 addresses, and the current one 9/],
    ['an earlier date', '2026-01-31', 9, /published on 2026-01-31, and the current one later, on 2026-02-01/],
    ['a date to come', '9999-01-01', 9, /yet to come/],
  ])('refuses a list with %s and changes nothing, unless it is forced', async (_what, publishedOn, count, message) => {
    await replace(published('2026-02-01', Array.from('123456789', evm)));
    const next = published(publishedOn, Array.from('abcdef012', evm).slice(0, count));
    const refusal = await replace(next).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ListRefused);
    expect(refusal).toHaveProperty('message', expect.stringMatching(message));
    expect(await imports()).toHaveLength(1);
    expect(await list.status()).toMatchObject({ addresses: { evm: 9 }, removed: 0 });
    expect((await replace(next, { force: true }))?.removed).not.toHaveLength(0);
    expect(await list.status()).toMatchObject({ publishedOn, addresses: { evm: count } });
  });

  it('takes half of the addresses, and refuses none at all even when it is forced', async () => {
    await replace(published('2026-02-01', [evm('a'), evm('b')]));
    await replace(published('2026-02-01', [evm('a')]));
    const empty = replace(published('2026-02-02', []), { force: true });
    await expect(empty).rejects.toThrow('no digital currency address');
  });

  it('is the only way in which a listing ends: the database refuses to rewrite the past', async () => {
    await replace(published('2026-01-01', [evm('a'), evm('b')]));
    await replace(published('2026-02-01', [evm('b'), evm('c')]));
    for (const statement of [
      `delete from sanctioned_address`,
      `truncate sanctioned_address cascade`,
      `update sanctioned_address set address_key = '${evm('f')}' where removed_in is null`,
      `update sanctioned_address set removed_in = null where removed_in is not null`,
      `update sanctions_import set published_on = now()`,
      `delete from sanctions_import`,
      `truncate sanctions_import cascade`,
    ]) {
      await expect(query(db.owner, statement)).rejects.toThrow(/keeps its address|append-only/);
    }
  });
});

describe('ensureFirstList', () => {
  it('loads the list that comes with the program, once, however many processes start at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ensureFirstList(db.database)));
    await ensureFirstList(db.database);
    expect(await imports()).toEqual([{ source: 'snapshot-2024-09-27' }]);
    expect(await list.status()).toMatchObject({
      publishedOn: '2024-09-27',
      isStale: true,
      addresses: { evm: 156, tron: 18, solana: 0, other: 437 },
      removed: 0,
    });
  });

  it('leaves a list alone that was imported before the first start', async () => {
    await replace(published('2026-01-01', [evm('a')]));
    await ensureFirstList(db.database);
    expect(await list.status()).toMatchObject({ publishedOn: '2026-01-01', addresses: { evm: 1 } });
  });

  it('is replaced by a newer list', async () => {
    await ensureFirstList(db.database);
    const keys = (await readFirstList()).addresses.map(({ key }) => key);
    const change = await replace(published('2026-11-01', [...keys.slice(1), evm('a')]));
    expect(change).toMatchObject({ added: 1, removed: [{ key: keys[0] }] });
  });
});
