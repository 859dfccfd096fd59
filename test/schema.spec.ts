import { defineEntity, type EntityClass, p } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { ENTITIES } from '../src/app/entities.js';
import { EventCounter } from '../src/events/event-counter.entity.js';
import { ormOptions } from '../src/platform/database/orm.config.js';
import { freshDatabase, type TestDatabase } from './support/database.js';
import { query } from './support/sql.js';

/** Constraints, indexes, triggers and functions are written in the migrations alone; the ORM would drop them all. */
const GUARD = /^(set names|alter table "\w+" drop constraint|drop index|drop trigger|drop function) /;

let db: TestDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

/** The statements that would make the tables and columns of the database those of the entities. */
async function differences(entities: readonly EntityClass<object>[] = ENTITIES): Promise<string[]> {
  const orm = await MikroORM.init({
    ...ormOptions({ url: db.ownerUrl, poolMax: 2, entities, migrations: [] }),
    // BullMQ's own.
    schemaGenerator: { ignoreSchema: ['bullmq'] },
  });
  try {
    const update = await orm.schema.getUpdateSchemaSQL({ safe: false, dropTables: true });
    return update.split(/;\s*/).filter((statement) => statement !== '' && !GUARD.test(statement));
  } finally {
    await orm.close(true);
  }
}

/** All entities, with one in the place of `EventCounter`. */
const withCounter = (entity: EntityClass<object>): EntityClass<object>[] => [
  ...ENTITIES.filter((known) => known !== EventCounter),
  entity,
];

const counter = {
  merchantId: p.text().primary(),
  environment: p.text().primary(),
  lastSequence: p.bigint(),
};

function entityOf(properties: object, tableName = 'event_counter'): EntityClass<object> {
  const Schema = defineEntity({ name: 'Counter', tableName, properties: { ...counter, ...properties } });
  class Counter extends Schema.class {}
  Schema.setClass(Counter);
  return Counter;
}

describe('the migrated database', () => {
  it('has exactly the tables and columns of the entities', async () => {
    expect(await differences()).toEqual([]);
  });

  it.each<[what: string, entity: EntityClass<object>, statement: RegExp]>([
    ['a column that no migration made', entityOf({ extra: p.text() }), /add "extra" text not null/],
    ['another type', entityOf({ lastSequence: p.integer() }), /alter column "last_sequence" type int/],
    ['another nullability', entityOf({ lastSequence: p.bigint().nullable() }), /"last_sequence" drop not null/],
    ['another default', entityOf({ lastSequence: p.bigint().defaultRaw('1') }), /"last_sequence" set default 1/],
    ['a table that no migration made', entityOf({}, 'counter'), /create table "counter"/],
  ])('differs from entities with %s', async (_what, entity, statement) => {
    expect(await differences(withCounter(entity))).toEqual(expect.arrayContaining([expect.stringMatching(statement)]));
  });

  it('differs from entities that know nothing of one of its tables or columns', async () => {
    await query(db.owner, 'create table forgotten (id text)');
    await query(db.owner, 'alter table event_counter add column forgotten text');
    const found = (await differences()).join(';\n');
    expect(found).toContain('drop table if exists "forgotten"');
    expect(found).toContain('alter table "event_counter" drop column "forgotten"');
  });
});
