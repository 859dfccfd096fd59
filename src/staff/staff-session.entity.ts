import { defineEntity, p } from '@mikro-orm/core';

const StaffSessionSchema = defineEntity({
  name: 'StaffSession',
  tableName: 'staff_session',
  properties: {
    id: p.text().primary(),
    staffId: p.text(),
    /** SHA-256 of the cookie's value, which changes at each proof of identity. */
    tokenHash: p.text(),
    /** The client's address at the sign-in. */
    address: p.text(),
    createdAt: p.datetime(3),
    /** The last request that was not polling, to within some seconds. */
    lastActiveAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** The last proof of identity: the sign-in or a later step-up. */
    provedAt: p.datetime(3),
    endedAt: p.datetime(3).strictNullable(),
  },
});

/** A session of a member of staff in one browser. */
export class StaffSession extends StaffSessionSchema.class {}
StaffSessionSchema.setClass(StaffSession);
