import type { EntityClass, EntityProperty } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Row } from '../sql/row.js';

type Reader = (row: Readonly<Record<string, unknown>>) => readonly [string, unknown];

const readers = new WeakMap<EntityClass<object>, readonly Reader[]>();

/**
 * Makes an entity that the ORM does not manage from a row of a typed statement, which has the columns of `every(table)`.
 * Assignments to it are never flushed, so that money and states change by statements alone.
 */
export function entityOf<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity> & { readonly prototype: Entity },
  row: Row<Entity, keyof Entity & string>,
): Entity {
  const target: Entity = Object.create(entity.prototype);
  for (const read of readers.get(entity) ?? prepare(em, entity)) {
    const [name, value] = read(row);
    // Defined, not assigned: the ORM's setters on the prototype would make every property an accessor, at three times the cost.
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return target;
}

function prepare(em: EntityManager, entity: EntityClass<object>): readonly Reader[] {
  const platform = em.getPlatform();
  const prepared = em
    .getMetadata()
    .get(entity)
    .props.map(({ name, customType, runtimeType }: EntityProperty): Reader => {
      return (row) => {
        const value = row[name];
        if (value === null || value === undefined) return [name, null];
        if (customType !== undefined) return [name, customType.convertToJSValue(value, platform)];
        return [name, runtimeType === 'Date' && typeof value === 'string' ? new Date(value) : value];
      };
    });
  readers.set(entity, prepared);
  return prepared;
}
