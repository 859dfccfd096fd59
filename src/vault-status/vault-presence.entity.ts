import { defineEntity, p } from '@mikro-orm/core';

const VaultPresenceSchema = defineEntity({
  name: 'VaultPresence',
  tableName: 'vault_presence',
  properties: {
    id: p.integer().primary().autoincrement(false),
    seenAt: p.datetime(3),
  },
});

/** When a process with an open vault last said that it is there; one row for all of them. */
export class VaultPresence extends VaultPresenceSchema.class {}
VaultPresenceSchema.setClass(VaultPresence);
