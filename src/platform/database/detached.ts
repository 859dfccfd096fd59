import type { EntityClass, EntityProperty } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

type Reader = (row: Record<string, unknown>) => readonly [string, unknown];

const readers = new WeakMap<EntityClass<object>, readonly Reader[]>();

/**
 * Makes an entity from a row of a hand-written statement that the ORM does not manage. Assignments to it are never
 * flushed, so that money and states change by SQL alone.
 */
export function detached<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity> & { readonly prototype: Entity },
  row: Record<string, unknown>,
): Entity {
  const known = readers.get(entity) ?? prepare(em, entity);
  const target: Entity = Object.create(entity.prototype);
  for (const read of known) {
    const [name, value] = read(row);
    // Defined, not assigned: the ORM's setters on the prototype would make every property an accessor, at three times the cost.
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return target;
}

function prepare(em: EntityManager, entity: EntityClass<object>): readonly Reader[] {
  const platform = em.getPlatform();
  const made = em
    .getMetadata()
    .get(entity)
    .props.map((property: EntityProperty): Reader => {
      const [column = property.name] = property.fieldNames;
      const { customType, runtimeType } = property;
      return (row) => {
        const value = row[column];
        if (value === null || value === undefined) return [property.name, null];
        if (customType !== undefined) return [property.name, customType.convertToJSValue(value, platform)];
        return [property.name, runtimeType === 'Date' && typeof value === 'string' ? new Date(value) : value];
      };
    });
  readers.set(entity, made);
  return made;
}
