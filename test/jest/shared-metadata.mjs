import { MetadataDiscovery } from '@mikro-orm/core';

/**
 * Lets the ORMs of a process share what they know about the same entities. The service makes one ORM and a spec one for
 * each test, whose discovery of 80 entities was a tenth of the processor time of the suite. All have the options of
 * `ormOptions`, so that all discoveries end alike; one of other entities is made as ever.
 */
export function shareEntityMetadata() {
  const { discoverReferences, processDiscoveredEntities, mapDiscoveredEntities } = MetadataDiscovery.prototype;
  /** Each list of entities, with the metadata once it was discovered. */
  const known = [];
  const lists = new WeakMap();
  const sharedBy = (discovery) => lists.get(discovery)?.metadata;

  MetadataDiscovery.prototype.discoverReferences = function discover(entities, ...rest) {
    // It calls itself for the entities that these refer to.
    if (lists.has(this)) return sharedBy(this) === undefined ? discoverReferences.call(this, entities, ...rest) : [];
    let list = known.find((one) => isSame(one.entities, entities));
    if (list === undefined) known.push((list = { entities: [...entities], metadata: undefined }));
    lists.set(this, list);
    return list.metadata === undefined ? discoverReferences.call(this, entities, ...rest) : [];
  };
  MetadataDiscovery.prototype.processDiscoveredEntities = function process(...discovered) {
    return sharedBy(this) === undefined ? processDiscoveredEntities.apply(this, discovered) : [];
  };
  MetadataDiscovery.prototype.mapDiscoveredEntities = function map() {
    const metadata = sharedBy(this) ?? mapDiscoveredEntities.call(this);
    const list = lists.get(this);
    if (list !== undefined) list.metadata = metadata;
    return metadata;
  };
}

const isSame = (ones, others) => ones.length === others.length && ones.every((one, place) => one === others[place]);
