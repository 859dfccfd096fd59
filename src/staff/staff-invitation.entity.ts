import { defineEntity, p } from '@mikro-orm/core';

const StaffInvitationSchema = defineEntity({
  name: 'StaffInvitation',
  tableName: 'staff_invitation',
  properties: {
    id: p.text().primary(),
    staffId: p.text(),
    /** SHA-256 of the token in the link. */
    tokenHash: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Also set when a later invitation replaces this one. */
    usedAt: p.datetime(3).strictNullable(),
  },
});

/** A single-use link with which a member of staff sets a password. */
export class StaffInvitation extends StaffInvitationSchema.class {}
StaffInvitationSchema.setClass(StaffInvitation);
