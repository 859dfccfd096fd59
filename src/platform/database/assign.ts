/**
 * Assigns values to properties of an entity, and returns it. A misspelt property does not compile here, as it would with
 * `Object.assign` and with the entity manager's own `assign`.
 */
export function assign<Entity extends object>(entity: Entity, values: Partial<NoInfer<Entity>>): Entity {
  return Object.assign(entity, values);
}
