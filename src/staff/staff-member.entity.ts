import { defineEntity, p } from '@mikro-orm/core';
import { wholeNumber } from '../platform/database/columns.js';
import type { StaffRole } from './permissions.js';

const StaffMemberSchema = defineEntity({
  name: 'StaffMember',
  tableName: 'staff',
  properties: {
    id: p.text().primary(),
    /** Lower case; it never changes, so that the audit may name its author by it. */
    email: p.text(),
    /** argon2id in PHC format; null until the invitation is accepted. */
    passwordHash: p.text().strictNullable(),
    passwordSetAt: p.datetime(3).strictNullable(),
    sandboxRole: p.text().$type<StaffRole>(),
    liveRole: p.text().$type<StaffRole>(),
    /** Sealed by the secret box, as the pending one, which replaces it once a code of it was entered. */
    totpSecret: p.blob().strictNullable(),
    pendingTotpSecret: p.blob().strictNullable(),
    /** The period of 30 s, counted from 1970, of the last accepted code: only later ones are accepted. */
    totpLastStep: wholeNumber().strictNullable(),
    createdAt: p.datetime(3),
    disabledAt: p.datetime(3).strictNullable(),
  },
});

/** A member of staff, who works in the console with a role in each environment. */
export class StaffMember extends StaffMemberSchema.class {}
StaffMemberSchema.setClass(StaffMember);
