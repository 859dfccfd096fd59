import { defineEntity, p } from '@mikro-orm/core';

const VaultPresenceSchema = defineEntity({
  name: 'VaultPresence',
  tableName: 'vault_presence',
  properties: {
    id: p.integer().primary().autoincrement(false),
    seenAt: p.datetime(3),
  },
});

/** The last time that a process reported an open vault; one row for all processes. */
export class VaultPresence extends VaultPresenceSchema.class {}
VaultPresenceSchema.setClass(VaultPresence);
