import { defineEntity, p } from '@mikro-orm/core';

const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  tableName: 'staff_recovery_code',
  properties: {
    staffId: p.text().primary(),
    /** SHA-256: a code has 80 random bits. */
    codeHash: p.text().primary(),
  },
});

/** A code that replaces one code of the authenticator. It is deleted when it is used. */
export class RecoveryCode extends RecoveryCodeSchema.class {}
RecoveryCodeSchema.setClass(RecoveryCode);
