import { aMerchant } from '../../../test/support/factories.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Merchant } from '../../auth/merchant.entity.js';
import { rows } from '../database/database.js';
import { as } from './as.js';
import { given, unnest } from './given.js';
import { all, cte, define, subselect } from './relation.js';
import { compiled, join, sql } from './sql.js';
import { out, set, table, values } from './table.js';

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

const m = table(Merchant);

describe('a statement', () => {
  it('has columns as text and everything else as numbered values', () => {
    const part = sql`${m.name} = ${'Shop'}`;
    const { text, values: sent } = compiled(
      sql`select ${out(m, 'id')} from ${m} where ${part} and ${m.id} = any(${['a']})`,
    );
    expect(text).toBe('select merchant.id as "id" from merchant where merchant.name = $1 and merchant.id = any($2)');
    expect(sent).toEqual(['Shop', ['a']]);
  });

  it('numbers the values of its parts in their order, and keeps them apart from the text', () => {
    const inner = sql`(${1} + ${2})`;
    const { text, values: sent } = compiled(
      sql`select ${0}, ${join([inner, 3, inner], ', ')}, ${join([], ', ')}${'$1'}`,
    );
    expect(text).toBe('select $1, ($2 + $3), $4, ($5 + $6), $7');
    expect(sent).toEqual([0, 1, 2, 3, 1, 2, '$1']);
  });

  it('is not made with a part that is missing', () => {
    expect(() => sql`select ${undefined as unknown as string}`).toThrow('A part of a statement is undefined.');
    expect(() => join(['a', undefined as unknown as string], ', ')).toThrow('A part of a statement is undefined.');
  });

  it('returns the columns that it names, by the names of their properties', async () => {
    const { merchantId } = await aMerchant(db.database);
    const other = table(Merchant, 'other');
    const [found] = await rows(
      db.database.em(),
      sql`select ${out(m, 'id')}, ${other.name.as('also')}, ${m.id} = ${other.id} ${as.boolean('isSame')}
            from ${m} join ${other} on ${other.id} = ${m.id} where ${m.id} = ${merchantId}`,
    );
    expect(found).toEqual({ id: merchantId, also: expect.any(String), isSame: true });
  });

  it('reads rows of the code, and names its parts', async () => {
    const price = given('price', { id: 'text', cents: 'bigint' });
    const prices = [
      { id: 'a', cents: 5n, more: 1 },
      { id: 'b', cents: null, more: 2 },
    ];
    const known = cte(
      'known',
      sql`select ${all(price)} from ${unnest(price, prices)} where ${price.cents} is not null`,
    );
    const found = await rows(
      db.database.em(),
      sql`with ${define(known)} select ${known.id.as('id')}, ${known.nth.as('nth')} from ${known}`,
    );
    expect(found).toEqual([{ id: 'a', nth: '1' }]);
  });

  it('names the rows of a subselect, also of one that takes arguments', async () => {
    const { merchantId } = await aMerchant(db.database);
    const one = subselect('one', sql`select ${m.name.as('name')} from ${m} where ${m.id} = ${merchantId}`);
    const named = (name: typeof one.name, more: string) =>
      sql`select ${m.id.as('id')}, ${more} ${as.text('more')} from ${m} where ${m.name} = ${name}`;
    const same = subselect('same', named);
    const found = await rows(
      db.database.em(),
      sql`select ${all(same)} from ${define(one)} cross join lateral ${define(same, one.name, 'x')}
           where ${same.id} = ${merchantId}`,
    );
    expect(found).toEqual([{ id: merchantId, more: 'x' }]);
  });

  it('writes the properties of a row', async () => {
    const { merchantId } = await aMerchant(db.database);
    const [changed] = await rows(
      db.database.em(),
      sql`update ${m} set ${set(m, { name: `It's $1; --` })} where ${m.id} = ${merchantId} returning ${out(m, 'name')}`,
    );
    expect(changed).toEqual({ name: `It's $1; --` });
    const { text } = compiled(sql`insert into ${m} ${values(m, { id: 'mer_1', name: 'Two' })}`);
    expect(text).toBe('insert into merchant (id, name) values ($1, $2)');
  });
});
